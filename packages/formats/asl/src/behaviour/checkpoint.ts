import type { BehaviourPart } from './part.ts';
import { parseDuration } from '../data/timestamp.ts';
import type { Checkpoint } from '../definition/index.ts';
import { callKey } from './call-key.ts';
import {
  entering,
  StateAtWork,
  type StateAction,
  type StateInputMaker,
  within,
} from './state-at-work.ts';

/** Spec: Agent 2 §Checkpoint State */
export const prepareCheckpoint: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) =>
    state.effects({ ...progress, visit: { attempts: [] } }),
  );

/** Whoever runs the workflow keeps it as it is now: it rests here until that is done. */
export const checkpointCall: StateInputMaker = (scope, params) => {
  const { name, storage, expiresAt } = keptBy(new StateAtWork(scope, params));
  return {
    key: callKey(scope.context, params.machine, 'checkpoint'),
    name,
    ...(storage !== undefined && { storage }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
};

/** The data go on as they are, and the record of the save point where `ResultPath` says. */
export const finishCheckpoint: StateAction<{ output: { kept: boolean } }> = (scope, params) =>
  within(scope, params, (state, progress) => {
    const { name, storage, expiresAt } = keptBy(state);
    const record = {
      name,
      createdAt: new Date(progress.enteredAt).toISOString(),
      ...(storage !== undefined && { storage }),
      ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt).toISOString() }),
    };
    const finished = state.program.flow.finish(state.run(progress), { checkpoint: record });
    const effects = state.left(progress, finished);
    const { kept } = scope.event.output;
    const saved = { type: 'checkpoint.saved', ...state.where(), ...record, kept };
    return { ...effects, emit: [saved, ...(effects.emit ?? [])] };
  });

function keptBy({ program, progress }: StateAtWork) {
  const { Name: name, Storage: storage, TTL: ttl } = program.state as Checkpoint;
  const keptFor = ttl === undefined ? undefined : parseDuration(ttl);
  const expiresAt = keptFor === undefined ? undefined : progress.enteredAt + keptFor;
  return { name, storage, expiresAt };
}

export const checkpointBehaviour = {
  actions: { prepareCheckpoint, finishCheckpoint },
  inputs: { checkpointCall },
} satisfies BehaviourPart;
