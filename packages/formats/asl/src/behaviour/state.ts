import type { Guard } from '@dramaturg/compiler';
import { progressOf, type WorkflowContext } from '../context.ts';
import { usedInVain } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import { failureOf } from './failure.ts';
import type { BehaviourPart } from './part.ts';
import { spending } from './spending.ts';
import {
  type MachineParams,
  StateAtWork,
  visitOf,
  type StateAction,
  type StateInputMaker,
} from './state-at-work.ts';

/** Something went wrong that nothing has dealt with yet. */
export const hasFailed: Guard<WorkflowContext, unknown, MachineParams> = (
  { context },
  { machine },
) => progressOf(context, machine).failure !== undefined;

/** The rule of a Choice holds, or the catcher has caught. */
export const isChosenWay: Guard<WorkflowContext, unknown, MachineParams & { way: number }> = (
  { context },
  { machine, way },
) => progressOf(context, machine).way === way;

/** The call has failed, and with it the task. */
export const taskFailed: StateAction<{ error: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { error } = scope.event;
  return spending(state, state.progress, [usedInVain(error)], (spent) =>
    state.effects({ ...spent, failure: failureOf(error) }),
  );
};

/** The timer of a Wait, and of a pause before a retry. */
export const waitTimer: StateInputMaker = (scope, params) => {
  const progress = progressOf(scope.context, params.machine);
  return { key: callKey(scope.context, params.machine, 'until'), at: visitOf(progress).until! };
};

/** What states of several kinds refer to. */
export const stateBehaviour = {
  guards: { hasFailed, isChosenWay },
  actions: { taskFailed },
  inputs: { waitTimer },
} satisfies BehaviourPart;
