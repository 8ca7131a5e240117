import type { BehaviourPart } from './part.ts';
import type { Guard, PortInput } from '@dramaturg/compiler';
import { isRecord, type Json } from '@dramaturg/compiler';
import { progressOf, type WorkflowContext } from '../context.ts';
import type { Task } from '../definition/index.ts';
import type { Found } from '../flow/memory.ts';
import { usedBy } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import { failureOf } from './failure.ts';
import {
  type MachineParams,
  StateAtWork,
  type StateAction,
  type StateParams,
  visitOf,
  within,
  type WorkflowScope,
} from './state-at-work.ts';
import { spending } from './spending.ts';

/** Works out where the answer would be. Spec: Agent 7 §Cache */
export const planCache: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { cache, state: definition } = state.program;
    const { Agent: agent } = definition as Task;
    const visit = visitOf(progress);
    const { execution } = scope.context;
    const cached = cache!(state.run(progress), visit.work!, { agent: agent!, execution });
    return state.effects({ ...progress, visit: { ...visit, cached } });
  });

export const cacheLookup = (
  { context }: WorkflowScope,
  { machine }: StateParams,
): PortInput<'recall'> => {
  const { namespace, name } = visitOf(progressOf(context, machine)).cached!;
  return {
    key: callKey(context, machine, 'cache'),
    transcript: { conversation: context.execution.id, length: 0 },
    type: 'key_value',
    namespace,
    keys: [name],
    queries: [],
    limit: 1,
  };
};

/** An answer that is there is the answer of the agent; it has cost nothing. */
export const takeCached: StateAction<{ output: Found }> = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { output } = scope.event;
    return spending(state, progress, [usedBy({ ...output, result: null })], (spent) => {
      const visit = visitOf(spent);
      const { name } = visit.cached!;
      const found = output.values?.[name];
      if (!isRecord(found) || !Object.hasOwn(found, 'result')) return state.effects(spent);
      const answer = { result: found['result'] as Json };
      return state.effects({ ...spent, visit: { ...visit, answer } }, [
        { type: 'cache.hit', ...state.where(), name },
      ]);
    });
  });

export const isCached: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => visitOf(progressOf(context, machine)).answer !== undefined;

export const cacheKeeping = (scope: WorkflowScope, params: StateParams): PortInput<'remember'> => {
  const { program, progress } = new StateAtWork(scope, params);
  const { cached, answer } = visitOf(progress);
  const { ttl } = (program.state as Task).Cache!;
  return {
    key: callKey(scope.context, params.machine, 'cache/keep'),
    type: 'key_value',
    ...cached!,
    value: { result: answer!.result },
    ...(ttl !== undefined && { ttl }),
  };
};

/** A cache that cannot be used is no reason not to work. */
export const cacheFailed: StateAction<{ error: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { cause, error } = failureOf(scope.event.error);
  return state.effects(state.progress, [
    { type: 'cache.failed', ...state.where(), because: cause ?? error ?? '' },
  ]);
};

export const cacheBehaviour = {
  guards: { isCached },
  actions: { planCache, takeCached, cacheFailed },
  inputs: { cacheLookup, cacheKeeping },
} satisfies BehaviourPart;
