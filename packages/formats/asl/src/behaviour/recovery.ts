import type { BehaviourPart } from './part.ts';
import type { Effects, Guard } from '@dramaturg/compiler';
import { type Progress, progressOf, type Visit, type WorkflowContext } from '../context.ts';
import { failureFrom } from '../flow/run.ts';
import { recoveryOf } from '../flow/recovery.ts';
import {
  type MachineParams,
  entering,
  type StateAtWork,
  type StateParams,
  visitOf,
  within,
  type WorkflowScope,
  type StateAction,
} from './state-at-work.ts';

/**
 * Gets the work of a state ready: on entering it, and once more for every retry, since what is asked may depend on how
 * often it was.
 */
export function preparing(
  scope: WorkflowScope,
  params: StateParams,
  prepare: (state: StateAtWork, progress: Progress, visit: Visit) => Effects<WorkflowContext>,
): Effects<WorkflowContext> {
  const { visit } = progressOf(scope.context, params.machine);
  // A visit outlasts its pauses and nothing else: the next state begins without one.
  if (visit?.until === undefined) {
    return entering(scope, params, (state, progress) => prepare(state, progress, { attempts: [] }));
  }
  const { attempts, delay, used, asked } = visit;
  const again = {
    attempts,
    ...(delay !== undefined && { delay }),
    ...(used && { used }),
    ...(asked !== undefined && { asked }),
  };
  return within(scope, params, (state, progress) => {
    const { failure: _, ...tried } = progress;
    return prepare(state, { ...tried, visit: again }, again);
  });
}

/** Decides what becomes of the failure: a retry, a catcher, or nothing. Agent 8, Amazon #errors */
export const recover: StateAction = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { program, world } = state;
    const failure = progress.failure!;
    // A pause before an earlier try says nothing of this failure.
    const { until: _until, ...visit } = visitOf(progress);
    const { attempts, delay, used, asked } = visit;
    const recovery = recoveryOf(program.state, failure, attempts, delay, program.dialect, world);
    if (recovery === undefined) return state.effects({ ...progress, visit });
    if ('retrier' in recovery) {
      const counted = program.state as { Retry: readonly unknown[] };
      return state.effects(
        {
          ...progress,
          visit: {
            attempts: counted.Retry.map(
              (_, index) => (attempts[index] ?? 0) + (index === recovery.retrier ? 1 : 0),
            ),
            delay: recovery.delay,
            ...(used && { used }),
            ...(asked !== undefined && { asked }),
            until: world.now() + recovery.delay,
          },
        },
        [{ type: 'task.retried', ...state.where(), ...failure, after: recovery.delay }],
      );
    }
    try {
      const caught = program.flow.caught(state.run(progress), recovery.catcher, failure);
      const { failure: _, ...recovered } = progress;
      return state.left(recovered, caught, recovery.catcher);
    } catch (thrown) {
      const { visit: _, ...given } = progress;
      return state.effects({ ...given, failure: failureFrom(thrown) });
    }
  });

/** The failure is followed by another try. */
export const isRetrying: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => progressOf(context, machine).visit?.until !== undefined;

export const recoveryBehaviour = {
  guards: { isRetrying },
  actions: { recover },
} satisfies BehaviourPart;
