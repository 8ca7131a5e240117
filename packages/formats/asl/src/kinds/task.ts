import { taskBehaviour } from '../behaviour/task.ts';
import { taskRules } from '../check/task.ts';
import type { GuardrailSide } from '../definition/index.ts';
import { taskDefinition, type Task } from '../definition/task.ts';
import { compileCache } from '../flow/cache.ts';
import { compileContext } from '../flow/context-window.ts';
import { compileGiven } from '../flow/given.ts';
import { compileRule } from '../flow/guardrails.ts';
import { compileMemory } from '../flow/memory.ts';
import { compileLimits } from '../flow/task.ts';
import { compileTools } from '../flow/tools.ts';
import { taskNode } from '../lower/task.ts';
import { readTask } from '../normalise/task.ts';
import { testWork } from '../test-state/work.ts';
import type { Kind } from './kind.ts';

export const task: Kind<Task> = {
  definition: taskDefinition,
  read: readTask,
  rules: taskRules,
  node: taskNode,
  compile(state, dialect) {
    const { Guardrails: guardrails, Tools: tools, Memory: memory, Context: context } = state;
    const { Cache: cache, Idempotency: idempotency } = state;
    const compiled = (side: GuardrailSide | undefined) => side?.rules.map(compileRule) ?? [];
    return {
      limits: compileLimits(state, dialect),
      ...(guardrails && {
        checks: { Input: compiled(guardrails.Input), Output: compiled(guardrails.Output) },
      }),
      ...(tools && { tools: compileTools(tools) }),
      ...(memory && { memory: compileMemory(memory, dialect) }),
      ...(context && { context: compileContext(context, dialect) }),
      ...(cache && { cache: compileCache(cache, dialect) }),
      ...(idempotency?.key && {
        idempotencyKey: compileGiven(idempotency.key, dialect, 'IdempotencyKey'),
      }),
    };
  },
  behaviour: taskBehaviour,
  test: testWork,
};
