import { type EachOutput, valuesOf } from '@dramaturg/compiler/format';
import { type Progress, visitOf, withVisit, type WorkflowContext } from '../context.ts';
import type { StatesErrorName } from '../data/states-error.ts';
import type { MapState } from '../definition/index.ts';
import { isReading, readCallOf } from '../flow/item-reader.ts';
import type { MapProgram, MapVisit } from '../kinds/map/program.ts';
import { type FinishedMap, isWriting } from '../flow/result-writer.ts';
import { limitReached } from '../flow/retry.ts';
import type { Failure } from '../flow/run.ts';
import type { Answer } from '../flow/usage.ts';
import { callKey } from './call-key.ts';
import { failureOf } from './failure.ts';
import type { BehaviourPart } from './part.ts';
import {
  type StateAction,
  StateAtWork,
  type StateInputMaker,
  visitGuard,
} from './state-at-work.ts';
import { continueState } from './state-steps.ts';

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

/** Adds the items to the visit of a Map. */
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

/**
 * A failed call of S3 as the failure of its Map. The cause begins with the error of S3, such as
 * `S3.NoSuchKeyException`. Spec: AWS "Handling errors", States.ItemReaderFailed and States.ResultWriterFailed
 */
function storageFailure(name: StatesErrorName, thrown: unknown): Failure {
  const failure = failureOf(thrown);
  const { error, cause } = failure;
  if (error === limitReached || error === 'States.Timeout') return failure;
  const isNamed = error !== null && error !== name && !error.startsWith('States.');
  return { error: name, cause: isNamed ? `${error}: ${cause ?? ''}` : cause };
}

/** Keeps the results while their files are written. A failed Map also writes its results before it fails. */
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
