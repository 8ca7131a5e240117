import { isRecord, type Json, type PortInput } from '@dramaturg/compiler';
import { progressOf, visitOf, withVisit, type WorkVisit } from '../context.ts';
import type { Task } from '../kinds/task/definition.ts';
import type { CacheProgram, CacheVisit } from '../flow/cache.ts';
import { usageOfCall } from '../flow/run.ts';
import type { Found } from '../kinds/memory/program.ts';
import {
  callKey,
  failureOf,
  type StateAction,
  StateAtWork,
  type StateParams,
  visitGuard,
  type WorkflowScope,
} from './state-at-work.ts';
import type { BehaviourPart } from './part.ts';
import { countUsage } from './spending.ts';
import { continueState } from './state-steps.ts';

/** Computes the key of the answer. Spec: Agent 7 §Cache */
const planCache: StateAction = (scope, params) =>
  continueState<CacheProgram>(scope, params, (state, progress) => {
    const { cacheEntry, state: definition } = state.program;
    const { Agent: agent } = definition as Task;
    const { execution } = scope.context;
    const { work } = visitOf<WorkVisit>(progress);
    const cached = cacheEntry(state.run(progress), work!, { agent: agent!, execution });
    return state.effects(withVisit<CacheVisit>(progress, { cached }));
  });

const cacheLookup = ({ context }: WorkflowScope, { machine }: StateParams): PortInput<'recall'> => {
  const { namespace, name } = visitOf<CacheVisit>(progressOf(context, machine)).cached!;
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

/** Takes a cached answer as the answer of the agent. It costs nothing. */
const takeCached: StateAction<{ output: Found }> = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { output } = scope.event;
    return countUsage(state, progress, [usageOfCall({ ...output, result: null })], (counted) => {
      const { name } = visitOf<CacheVisit>(counted).cached!;
      const found = output.values?.[name];
      if (!isRecord(found) || !Object.hasOwn(found, 'result')) return state.effects(counted);
      const answer = { result: found['result'] as Json };
      return state.effects(withVisit<WorkVisit>(counted, { answer }), [
        { type: 'cache.hit', ...state.where(), name },
      ]);
    });
  });

const isCached = visitGuard<WorkVisit>(({ answer }) => answer !== undefined);

const cacheKeeping = (scope: WorkflowScope, params: StateParams): PortInput<'remember'> => {
  const { program, progress } = new StateAtWork(scope, params);
  const { cached, answer } = visitOf<CacheVisit & WorkVisit>(progress);
  const { ttl } = (program.state as Task).Cache!;
  return {
    key: callKey(scope.context, params.machine, 'cache/keep'),
    type: 'key_value',
    ...cached!,
    value: { result: answer!.result },
    ...(ttl !== undefined && { ttl }),
  };
};

/** A cache that fails does not fail the state. */
const cacheFailed: StateAction<{ error: unknown }> = (scope, params) => {
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
