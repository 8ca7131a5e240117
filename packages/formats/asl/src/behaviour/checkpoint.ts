import { withVisit } from '../context.ts';
import type { Checkpoint } from '../definition/index.ts';
import { recordOfSavePoint, savePointOf } from '../flow/checkpoint.ts';
import { callKey } from './call-key.ts';
import type { BehaviourPart } from './part.ts';
import { type StateAction, StateAtWork, type StateInputMaker } from './state-at-work.ts';
import { continueState, enterState, leaveState } from './state-steps.ts';

/** Spec: Agent 2 §Checkpoint State */
const prepareCheckpoint: StateAction = (scope, params) =>
  enterState(scope, params, (state, progress) => state.effects(withVisit(progress, {})));

/** Asks the host to save the run as it is now. The machine rests here until the host has answered. */
const checkpointCall: StateInputMaker = (scope, params) => {
  const { program, progress } = new StateAtWork(scope, params);
  return {
    key: callKey(scope.context, params.machine, 'checkpoint'),
    ...savePointOf(program.state as Checkpoint, progress.enteredAt),
  };
};

/** Puts the record of the save point where `ResultPath` says. */
const finishCheckpoint: StateAction<{ output: { kept: boolean } }> = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const record = recordOfSavePoint(state.program.state as Checkpoint, progress.enteredAt);
    const finished = state.program.flow.finish(state.run(progress), { checkpoint: record });
    const effects = leaveState(state, progress, finished);
    const { kept } = scope.event.output;
    const saved = { type: 'checkpoint.saved', ...state.where(), ...record, kept };
    return { ...effects, emit: [saved, ...(effects.emit ?? [])] };
  });

export const checkpointBehaviour = {
  actions: { prepareCheckpoint, finishCheckpoint },
  inputs: { checkpointCall },
} satisfies BehaviourPart;
