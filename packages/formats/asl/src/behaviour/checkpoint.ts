import { withVisit } from '../context.ts';
import { parseDuration } from '../data/timestamp.ts';
import type { Checkpoint } from '../definition/index.ts';
import { callKey } from './call-key.ts';
import type { BehaviourPart } from './part.ts';
import { type StateAction, StateAtWork, type StateInputMaker } from './state-at-work.ts';
import { continueState, enterState, leaveState } from './state-steps.ts';

/** Spec: Agent 2 §Checkpoint State */
const prepareCheckpoint: StateAction = (scope, params) =>
  enterState(scope, params, (state, progress) => state.effects(withVisit(progress, {})));

/** Asks the host to save the run as it is now. The machine rests here until the host has answered. */
const checkpointCall: StateInputMaker = (scope, params) => {
  const { name, storage, expiresAt } = savePointOf(new StateAtWork(scope, params));
  return {
    key: callKey(scope.context, params.machine, 'checkpoint'),
    name,
    ...(storage !== undefined && { storage }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
};

/** Puts the record of the save point where `ResultPath` says. */
const finishCheckpoint: StateAction<{ output: { kept: boolean } }> = (scope, params) =>
  continueState(scope, params, (state, progress) => {
    const { name, storage, expiresAt } = savePointOf(state);
    const record = {
      name,
      createdAt: new Date(progress.enteredAt).toISOString(),
      ...(storage !== undefined && { storage }),
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    };
    const finished = state.program.flow.finish(state.run(progress), { checkpoint: record });
    const effects = leaveState(state, progress, finished);
    const { kept } = scope.event.output;
    const saved = { type: 'checkpoint.saved', ...state.where(), ...record, kept };
    return { ...effects, emit: [saved, ...(effects.emit ?? [])] };
  });

function savePointOf({ program, progress }: StateAtWork) {
  const { Name: name, Storage: storage, TTL: ttl } = program.state as Checkpoint;
  const lifetimeMs = ttl === undefined ? undefined : parseDuration(ttl);
  const expiresAt = lifetimeMs === undefined ? undefined : progress.enteredAt + lifetimeMs;
  return { name, storage, expiresAt };
}

export const checkpointBehaviour = {
  actions: { prepareCheckpoint, finishCheckpoint },
  inputs: { checkpointCall },
} satisfies BehaviourPart;
