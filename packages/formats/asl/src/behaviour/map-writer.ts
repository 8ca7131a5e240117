import type { EachOutput } from '@dramaturg/compiler';
import { type Progress, visitOf, withVisit, type WorkflowContext } from '../context.ts';
import type { MapState } from '../definition/index.ts';
import type { MapProgram, MapVisit } from '../flow/map.ts';
import { bytesOfText, type FinishedMap, type ResultFile } from '../flow/result-writer.ts';
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
  continueState(scope, params, (state, progress) => {
    const writing = { ended: scope.event.output, files: [] };
    return state.effects(withVisit<MapVisit>(progress, { writing }));
  });

/**
 * Writes a file. Its name and its text follow from the stored results, so a call that is repeated after a crash writes the
 * same file again.
 */
const writeCall: StateInputMaker = (scope, params) => {
  const state = new StateAtWork<MapProgram>(scope, params);
  const { Prefix: _, ...target } = visitOf<MapVisit>(state.progress).target!;
  const { files } = visitOf<MapVisit>(state.progress).writing!;
  const { Key, Body } = nextFile(state, state.progress);
  return {
    key: callKey(scope.context, params.machine, `write/${files.length}`),
    agent: (state.program.state as MapState).ResultWriter!.Resource!,
    input: { ...target, Key, Body, ContentType: 'application/json' },
    ...state.circuit,
  };
};

const noteWritten: StateAction = (scope, params) =>
  continueState<MapProgram>(scope, params, (state, progress) => {
    const { status, Key, Body } = nextFile(state, progress);
    const { writing } = visitOf<MapVisit>(progress);
    const files = [...writing!.files, { status, Key, Size: bytesOfText(Body) }];
    return state.effects(withVisit<MapVisit>(progress, { writing: { ...writing!, files } }));
  });

function nextFile(state: StateAtWork<MapProgram>, progress: Progress): ResultFile {
  const { target, writing } = visitOf<MapVisit>(progress);
  const map = finishedMap(state.context, progress, writing!.ended);
  return state.program.writer!.nextFile(map, target!, writing!.files);
}

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
    isWriting: visitGuard<MapVisit>(({ writing }) => writing!.files.at(-1)?.status !== 'MANIFEST'),
  },
  actions: { takeResults, noteWritten, writeFailed },
  inputs: { writeCall },
} satisfies BehaviourPart;
