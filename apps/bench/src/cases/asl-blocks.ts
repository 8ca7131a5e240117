import type { JsonObject, Ports } from 'dramaturg';
import { type Benchmark, contest } from '../measure.ts';
import { runOf } from '../workflows/contenders.ts';

const often = { warmUp: 500, runs: 200 };

/** The cost of the blocks of a task that call no port. */
export const guardedTask: Benchmark = {
  name: 'task with Budget, Guardrails and Tools over a bare one',
  unit: '×',
  atMost: 1.5,
  prepare: () => contest(run(tenTasks(guarding, budget)), run(tenTasks({})), often),
};

/** Memory adds two calls to a task, so it is compared with bare tasks that make the same number of calls. */
export const rememberingTask: Benchmark = {
  name: 'task with Budget, Guardrails, Tools and Memory over three bare ones',
  unit: '×',
  atMost: 1.5,
  prepare: () =>
    contest(run(tenTasks({ ...guarding, ...remembering }, budget)), run(tasks(30)), often),
};

export const rememberingTaskOverOne: Benchmark = {
  name: 'task with Budget, Guardrails, Tools and Memory over one bare task',
  unit: '×',
  prepare: () =>
    contest(run(tenTasks({ ...guarding, ...remembering }, budget)), run(tenTasks({})), often),
};

const tenTasks = (blocks: JsonObject, top?: JsonObject) => tasks(10, blocks, top);

/** Creates tasks in a row, each with these blocks. */
function tasks(count: number, blocks: JsonObject = {}, top: JsonObject = {}): JsonObject {
  const names = Array.from({ length: count }, (_, index) => `Task${index + 1}`);
  return {
    ...top,
    StartAt: names[0]!,
    States: Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          Type: 'Task',
          Agent: 'Clerk',
          ResultPath: '$.answer',
          ...blocks,
          ...(index + 1 < names.length ? { Next: names[index + 1]! } : { End: true }),
        },
      ]),
    ),
  };
}

/** The blocks that guard an agent without calling a port. */
const guarding: JsonObject = {
  Budget: { MaxTokens: 1000, Category: 'answers' },
  Tools: { Allowed: ['read_file'], Denied: ['write_file'] },
  Guardrails: {
    Input: { Rules: [{ Type: 'pattern', Block: ['ignore previous'] }] },
    Output: { Rules: [{ Type: 'length', Max: 1000 }] },
  },
};

/** Reads memory before each task and writes it afterwards. */
const remembering: JsonObject = {
  Memory: { Namespace: 'bench', Read: ['notes'], Write: { Key: 'notes', Value: 'seen' } },
};

const budget: JsonObject = { Budget: { MaxTokens: 1_000_000, MaxCost: '$100.00' } };

const ports: Partial<Ports> = {
  runAgent: () => ({ result: { text: 'An answer', _tokens: 12 } }),
  recall: () => ({ memories: [], values: { notes: 'seen' } }),
  remember: () => ({ stored: true }),
};

const run = (definition: JsonObject) => runOf(definition, 'agent', { text: 'A question' }, ports);
