import type { Guard } from '@dramaturg/compiler/format';
import { progressOf, visitOf, type WorkflowContext } from '../context.ts';
import { usageOfFailedCall } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import { failureOf } from './failure.ts';
import type { BehaviourPart } from './part.ts';
import { countUsage } from './spending.ts';
import {
  type MachineParams,
  type StateAction,
  StateAtWork,
  type StateInputMaker,
} from './state-at-work.ts';

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
