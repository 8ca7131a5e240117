import type { EachOutput } from '@dramaturg/compiler/format';
import { type Progress, visitOf, withVisit, type WorkflowContext } from '../context.ts';
import type { MapState } from '../definition/index.ts';
import type { MapProgram, MapVisit } from '../flow/map.ts';
import { type FinishedMap, isWriting } from '../flow/result-writer.ts';
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

/** Keeps the results while their files are written. A failed Map writes its results too, and fails then. */
const takeResults: StateAction<{ readonly output: EachOutput }> = (scope, params) =>
  continueState<MapProgram>(scope, params, (state, progress) => {
    const { output: ended } = scope.event;
    const map = finishedMap(state.context, progress, ended);
    const files = state.program.writer!.files(map, visitOf<MapVisit>(progress).target!);
    const writing = { ended, files, next: 0 };
    return state.effects(withVisit<MapVisit>(progress, { writing }));
  });

/**
 * Writes a file. Its name and its text follow from the stored results, so a call that is repeated after a crash writes the
 * same file again.
 */
const writeCall: StateInputMaker = (scope, params) => {
  const state = new StateAtWork<MapProgram>(scope, params);
  const { target, writing } = visitOf<MapVisit>(state.progress) as MapVisit;
  const { Prefix: _, ...request } = target;
  const map = finishedMap(state.context, state.progress, writing.ended);
  const file = state.program.writer!.nextFile(map, target, writing);
  return {
    key: callKey(scope.context, params.machine, `write/${writing.next}`),
    agent: (state.program.state as MapState).ResultWriter!.Resource!,
    input: { ...request, ...file, ContentType: 'application/json' },
    ...state.circuit,
  };
};

const noteWritten: StateAction = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const { writing } = visitOf<MapVisit>(state.progress) as MapVisit;
  const next = { ...writing, next: writing.next + 1 };
  return state.effects(withVisit<MapVisit>(state.progress, { writing: next }));
};

export function finishedMap(
  { execution }: WorkflowContext,
  progress: Progress,
  { results }: EachOutput,
): FinishedMap {
  const { map, mapRun } = visitOf<MapVisit>(progress);
  return { execution, mapRun: mapRun!, inputs: map!.inputs, results: results as never };
}

const writeFailed: StateAction<{ readonly error: unknown }> = (scope, params) => {
  const state = new StateAtWork(scope, params);
  const failure = storageFailure('States.ResultWriterFailed', scope.event.error);
  return state.effects({ ...state.progress, failure });
};

export const mapWriterBehaviour = {
  guards: {
    isWriting: visitGuard<MapVisit>(({ writing }) => isWriting(writing!)),
  },
  actions: { takeResults, noteWritten, writeFailed },
  inputs: { writeCall },
} satisfies BehaviourPart;
