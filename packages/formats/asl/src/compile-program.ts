import { isRecord } from '@dramaturg/compiler';
import type { Program, StateMeta } from './behaviour/program.ts';
import type { Dialect, GuardrailSide, Task } from './definition/index.ts';
import { compileApproval } from './flow/approval.ts';
import { compileCache } from './flow/cache.ts';
import { compileChoice } from './flow/choice.ts';
import { compileContext } from './flow/context-window.ts';
import { compileTopic } from './flow/debate.ts';
import { compileFail } from './flow/fail.ts';
import { compileGiven } from './flow/given.ts';
import { compileRule } from './flow/guardrails.ts';
import { jsonataFlow } from './flow/jsonata-flow.ts';
import { jsonpathFlow } from './flow/jsonpath-flow.ts';
import { compileMap } from './flow/map.ts';
import { compileMemory } from './flow/memory.ts';
import { compileReporting } from './flow/progress.ts';
import { compileStateEvents } from './flow/state-events.ts';
import { compileLimits } from './flow/task.ts';
import { compileTools } from './flow/tools.ts';
import { compileWait } from './flow/wait.ts';
import { readState } from './normalise/machine.ts';

/** Reads the authored state of a node and compiles its expressions. */
export function compileProgram({ title, state: authored, language, dialect }: StateMeta): Program {
  const reading = { dialect, findings: [], budget: { statesLeft: Infinity } };
  const placed = { value: isRecord(authored) ? authored : {}, at: [] };
  const state = readState(title, placed, language, reading);
  const flow =
    state.QueryLanguage === 'JSONata' ? jsonataFlow(state) : jsonpathFlow(state, dialect);
  const events = compileStateEvents(state);
  const reporting = compileReporting(state);
  const program = {
    state,
    dialect,
    flow,
    ...(events && { events }),
    ...(reporting && { reporting }),
  };
  switch (state.Type) {
    case 'Choice':
      return { ...program, choose: compileChoice(state, dialect) };
    case 'Fail':
      return { ...program, fail: compileFail(state, dialect) };
    case 'Wait':
      return { ...program, wait: compileWait(state, dialect) };
    case 'Map':
      return { ...program, map: compileMap(state, dialect) };
    case 'Pass':
      return state.Memory ? { ...program, memory: compileMemory(state.Memory, dialect) } : program;
    case 'Task':
      return {
        ...program,
        limits: compileLimits(state, dialect),
        ...compileBlocks(state, dialect),
      };
    case 'Approval':
      return { ...program, approval: compileApproval(state, dialect) };
    case 'Debate':
      return { ...program, topic: compileTopic(state, dialect) };
    default:
      return program;
  }
}

/** What a task says of how its agent is looked after. */
function compileBlocks(
  task: Task,
  dialect: Dialect,
): Pick<Program, 'checks' | 'tools' | 'memory' | 'context' | 'cache' | 'idempotencyKey'> {
  const { Guardrails: guardrails, Tools: tools, Memory: memory, Context: context } = task;
  const { Cache: cache, Calling: calling } = task;
  const idempotency = calling?.idempotencyKey;
  const compiled = (side: GuardrailSide | undefined) => side?.rules.map(compileRule) ?? [];
  return {
    ...(guardrails && {
      checks: { Input: compiled(guardrails.Input), Output: compiled(guardrails.Output) },
    }),
    ...(tools && { tools: compileTools(tools) }),
    ...(memory && { memory: compileMemory(memory, dialect) }),
    ...(context && { context: compileContext(context, dialect) }),
    ...(cache && { cache: compileCache(cache, dialect) }),
    ...(idempotency && { idempotencyKey: compileGiven(idempotency, dialect, 'IdempotencyKey') }),
  };
}
