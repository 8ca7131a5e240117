import { compile, type Json, type JsonObject, type Ports, providePorts } from 'dramaturg';
import { createActor, toPromise } from 'xstate';
import type { Contender } from '../contest.ts';

/** Creates ten tasks in a row, each with these blocks. */
export function tenTasks(blocks: JsonObject, top: JsonObject = {}): JsonObject {
  const names = Array.from({ length: 10 }, (_, index) => `Task${index + 1}`);
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
export const guarding: JsonObject = {
  Budget: { MaxTokens: 1000, Category: 'answers' },
  Tools: { Allowed: ['read_file'], Denied: ['write_file'] },
  Guardrails: {
    Input: { Rules: [{ Type: 'pattern', Block: ['ignore previous'] }] },
    Output: { Rules: [{ Type: 'length', Max: 1000 }] },
  },
};

/** Reads memory before each task and writes it afterwards. */
export const remembering: JsonObject = {
  Memory: { Namespace: 'bench', Read: ['notes'], Write: { Key: 'notes', Value: 'seen' } },
};

export const budget: JsonObject = { Budget: { MaxTokens: 1_000_000, MaxCost: '$100.00' } };

const ports: Partial<Ports> = {
  runAgent: () => ({ result: { text: 'An answer', _tokens: 12 } }),
  recall: () => ({ memories: [], values: { notes: 'seen' } }),
  remember: () => ({ stored: true }),
};

export function runOf(definition: JsonObject): Contender {
  const { machine, diagnostics } = compile(JSON.stringify(definition), {
    format: 'asl',
    options: { dialect: 'agent' },
  });
  if (!machine) throw new Error(diagnostics.map(({ message }) => message).join(' '));
  const provided = providePorts(machine, ports);
  return async () => {
    const actor = createActor(provided, { input: { input: { text: 'A question' } } }).start();
    const result = (await toPromise(actor)) as { readonly output: Json };
    return result.output;
  };
}

/** Makes the calls of ten tasks with memory as thirty separate tasks. */
export function thirtyTasks(): JsonObject {
  const names = Array.from({ length: 30 }, (_, index) => `Task${index + 1}`);
  return {
    StartAt: names[0]!,
    States: Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          Type: 'Task',
          Agent: 'Clerk',
          ResultPath: '$.answer',
          ...(index + 1 < names.length ? { Next: names[index + 1]! } : { End: true }),
        },
      ]),
    ),
  };
}
