import type { Guard } from '@dramaturg/compiler/format';
import { progressOf, type Visit, visitOf, type WorkflowContext } from '../context.ts';
import { failureFrom } from '../flow/data-flow.ts';
import { recoveryOf } from '../flow/retry.ts';
import { usageOfFailedCall } from '../flow/run.ts';
import {
  callKey,
  failureOf,
  type MachineParams,
  type StateAction,
  StateAtWork,
  type StateInputMaker,
} from './state-at-work.ts';
import type { BehaviourPart } from './part.ts';
import { countUsage } from './spending.ts';
import { continueState, leaveState, retriedVisit } from './state-steps.ts';

/** A failure has not been handled yet. */
const hasFailed: Guard<WorkflowContext, unknown, MachineParams> = ({ context }, { machine }) =>
  progressOf(context, machine).failure !== undefined;

/** The rule of a Choice or Approval holds, or the catcher applies. */
const isChosenWay: Guard<WorkflowContext, unknown, MachineParams & { way: number }> = (
  { context },
  { machine, way },
) => progressOf(context, machine).way === way;

/** A failed call becomes the failure of its state. */
const taskFailed: StateAction<{ error: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { error } = scope.event;
  return countUsage(state, state.progress, [usageOfFailedCall(error)], (counted) =>
    state.effects({ ...counted, failure: failureOf(error) }),
  );
};

/** The timer of a Wait, and of the pause before a retry. */
export const waitTimer: StateInputMaker = (scope, params) => {
  const progress = progressOf(scope.context, params.machine);
  return { key: callKey(scope.context, params.machine, 'until'), at: visitOf(progress).until! };
};

/** Names that states of several kinds refer to. */
export const stateBehaviour = {
  guards: { hasFailed, isChosenWay },
  actions: { taskFailed },
  inputs: { waitTimer },
} satisfies BehaviourPart;

/** Handles a failure: by a retry, by a catcher, or not at all. Agent 8, Amazon #errors */
const recover: StateAction = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { program, world } = state;
    const failure = progress.failure!;
    const { error, cause } = failure;
    // A pause before an earlier retry does not mean that this failure is retried.
    const { until: _, ...visit } = visitOf(progress);
    const { attempts, delay } = visit;
    const recovery = recoveryOf(program.state, failure, attempts, delay, program.dialect, world);
    if (recovery === undefined)
      return state.effects({ ...progress, visit }, state.failed(progress));
    if ('retrier' in recovery) {
      const { Retry: retriers } = program.state as { Retry: readonly unknown[] };
      const pause: Visit = {
        ...retriedVisit(progress),
        attempts: retriers.map(
          (_retrier, index) => (attempts[index] ?? 0) + (index === recovery.retrier ? 1 : 0),
        ),
        delay: recovery.delay,
        until: world.now() + recovery.delay,
      };
      return state.effects({ ...progress, visit: pause }, [
        { type: 'task.retried', ...state.where(), error, cause, after: recovery.delay },
      ]);
    }
    try {
      const { catcher } = recovery;
      const caught = program.flow.caught(state.run(progress), catcher, failure);
      const { failure: _failure, ...recovered } = progress;
      const left = leaveState(state, recovered, caught, catcher);
      const { Next: next } = program.state.Catch![catcher]!;
      const event = { type: 'error.caught', ...state.where(), error, cause, catcher, next };
      return { ...left, emit: [...state.shown([event]), ...left.emit!] };
    } catch (thrown) {
      const { visit: _visit, failure: _failure, ...rest } = progress;
      const failed = { ...rest, failure: failureFrom(thrown, program.dialect) };
      return state.effects(failed, state.failed(state.placed(failed)));
    }
  });

/** A retry follows the failure. */
const isRetrying: Guard<WorkflowContext, unknown, MachineParams> = ({ context }, { machine }) =>
  progressOf(context, machine).visit?.until !== undefined;

export const retryBehaviour = {
  guards: { isRetrying },
  actions: { recover },
} satisfies BehaviourPart;
