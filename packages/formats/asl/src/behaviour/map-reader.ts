import { valuesOf } from '@dramaturg/compiler/format';
import { type Progress, visitOf, withVisit } from '../context.ts';
import type { MapState } from '../definition/index.ts';
import { isReading, readCallOf } from '../flow/item-reader.ts';
import type { MapProgram, MapVisit } from '../flow/map.ts';
import type { Answer } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import type { BehaviourPart } from './part.ts';
import {
  type StateAction,
  StateAtWork,
  type StateInputMaker,
  visitGuard,
} from './state-at-work.ts';
import { continueState } from './state-steps.ts';
import { storageFailure } from './storage-failure.ts';

/** A call of S3. Reading twice is harmless, so a repeated call just reads again. */
const readCall: StateInputMaker = (scope, params) => {
  const { program, progress, circuit } = new StateAtWork<MapProgram>(scope, params);
  const { reading } = visitOf<MapVisit>(progress);
  return {
    key: callKey(scope.context, params.machine, `read/${reading!.next}`),
    ...readCallOf((program.state as MapState).ItemReader!, reading!),
    ...circuit,
  };
};

const takeRead: StateAction<{ readonly output: Answer }> = (scope, params) =>
  continueState<MapProgram>(scope, params, (state, progress) => {
    const { reader } = state.program;
    const { reading } = visitOf<MapVisit>(progress);
    const taken = reader!.take(reading!, scope.event.output.result);
    const next = isReading(taken)
      ? withVisit<MapVisit>(progress, { reading: taken })
      : withItems(state, progress, [...valuesOf(taken.lists)]);
    return state.effects(next);
  });

/** The visit of a Map that has its items. */
export function withItems(
  state: StateAtWork<MapProgram>,
  progress: Progress,
  read?: Parameters<MapProgram['mapWork']>[2],
): Progress {
  const { flow, mapWork } = state.program;
  const run = state.run(progress);
  const map = mapWork(run, flow.select(run), read);
  return withVisit<MapVisit>(progress, { map, reading: undefined });
}

const readFailed: StateAction<{ readonly error: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const failure = storageFailure('States.ItemReaderFailed', scope.event.error);
  return state.effects({ ...state.progress, failure });
};

export const mapReaderBehaviour = {
  guards: {
    isReading: visitGuard<MapVisit>(({ reading }) => reading !== undefined && isReading(reading)),
  },
  actions: { takeRead, readFailed },
  inputs: { readCall },
} satisfies BehaviourPart;
