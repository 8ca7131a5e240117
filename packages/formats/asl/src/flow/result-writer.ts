import { isRecord, type EachOutput, type Json, type JsonObject } from '@dramaturg/compiler';
import { StatesError } from '../data/states-error.ts';
import type { Dialect, MapState, ResultWriter } from '../definition/index.ts';
import type { Execution } from './execution.ts';
import { compileArguments } from './map-arguments.ts';
import { type MapRun, mapRunNames } from './map-run.ts';
import type { Failure, Run } from './run.ts';
import type { Spending } from './budget.ts';
import type { Usage } from './usage.ts';

/** The output of an item's machine. */
export type ItemOutput = {
  readonly usage?: Usage;
  readonly spent?: Spending;
  /** Of a distributed Map; milliseconds since 1970 UTC. */
  readonly startedAt?: number;
  readonly stoppedAt?: number;
} & (
  | { readonly status: 'succeeded'; readonly output: Json }
  | ({ readonly status: 'failed' } & Partial<Failure>)
);

/** The results of a Map that are being written, a file at a time. */
export interface Writing {
  /** All that the supervisor has told. */
  readonly ended: EachOutput;
  /** The keys and sizes of the files that are written. */
  readonly files: readonly WrittenFile[];
}

interface WrittenFile {
  readonly status: ResultStatus | 'MANIFEST';
  readonly Key: string;
  /** Bytes. */
  readonly Size: number;
}

const statuses = ['SUCCEEDED', 'FAILED', 'PENDING'] as const;
type ResultStatus = (typeof statuses)[number];

/** A run of a Map, as its results tell about it. */
export interface FinishedMap {
  readonly execution: Execution;
  readonly mapRun: MapRun;
  /** The inputs of the items. */
  readonly inputs: readonly Json[];
  readonly results: readonly (ItemOutput | null)[];
}

/** Writes and transforms the results of a distributed Map. Spec: AWS "ResultWriter" */
export interface ResultWriting {
  /**
   * The bucket, the prefix and more fields of each request; undefined when the results are not written.
   *
   * @throws StatesError States.ResultWriterFailed when there is no bucket
   */
  readonly begin: (run: Run, selected: Json) => JsonObject | undefined;
  /** The result of the state when nothing is written. */
  readonly transformed: (map: FinishedMap) => Json;
  /** The next file to write: those of the results, and the manifest at the end. */
  readonly nextFile: (
    map: FinishedMap,
    target: JsonObject,
    written: Writing['files'],
  ) => ResultFile;
  /** The result of the state when everything is written. */
  readonly written: (map: FinishedMap, target: JsonObject) => Json;
}

export interface ResultFile {
  /** The manifest is the last file. */
  readonly status: ResultStatus | 'MANIFEST';
  readonly Key: string;
  readonly Body: string;
}

/** Characters of one file; AWS has files of up to 5 GB. Each file is an argument of a call, so it must fit in a record. */
const longestFile = 8 * 1024 * 1024;

export function compileResultWriter(state: MapState, dialect: Dialect): ResultWriting | undefined {
  const { ResultWriter: writer } = state;
  if (!writer) return undefined;
  const given = compileArguments(writer.Arguments, state, dialect);
  return {
    begin(run, selected) {
      return writer.Resource === undefined ? undefined : targetOf(given(run, selected));
    },
    transformed: (map) => resultsOf(map, writer).flatMap(({ values }) => values),
    nextFile(map, target, written) {
      const folder = folderOf(target, map);
      const file = filesOf(map, writer)[written.length];
      if (!file) return { status: 'MANIFEST', ...manifestOf(map, target, folder, written) };
      return { ...file, Key: folder + file.Key };
    },
    written(map, target) {
      return {
        MapRunArn: mapRunNames(map.execution, map.mapRun).mapRun,
        ResultWriterDetails: {
          Bucket: target['Bucket']!,
          Key: `${folderOf(target, map)}manifest.json`,
        },
      };
    },
  };
}

function targetOf(given: Json): JsonObject {
  const target = isRecord(given) ? given : {};
  const { Bucket: bucket, Prefix: prefix } = target;
  if (typeof bucket !== 'string' || bucket === '') {
    throw failed('The "Bucket" of the ResultWriter is missing.');
  }
  if (prefix !== undefined && typeof prefix !== 'string') {
    throw failed('The "Prefix" of the ResultWriter is not a text.');
  }
  return target;
}

/** The files of a Map Run are in a folder of its own. */
function folderOf({ Prefix: given }: JsonObject, { mapRun }: FinishedMap): string {
  const prefix = typeof given === 'string' ? given.replace(/\/+$/, '') : '';
  return prefix === '' ? `${mapRun.name}/` : `${prefix}/${mapRun.name}/`;
}

interface Result {
  readonly status: ResultStatus;
  /** What is written about the item: one value, but any number of them for a list that is flattened. */
  readonly values: readonly Json[];
}

function resultsOf(map: FinishedMap, { Transformation: transformation }: ResultWriter): Result[] {
  return map.results.map((outcome, index): Result => {
    const status = statusOf(outcome);
    if (transformation === 'NONE' || outcome?.status !== 'succeeded')
      return { status, values: [recordOf(map, index)] };
    const { output } = outcome;
    const isFlat = transformation === 'FLATTEN' && Array.isArray(output);
    return { status, values: isFlat ? (output as readonly Json[]) : [output] };
  });
}

function statusOf(outcome: ItemOutput | null): ResultStatus {
  if (outcome === null) return 'PENDING';
  return outcome.status === 'succeeded' ? 'SUCCEEDED' : 'FAILED';
}

/** The execution of an item, with the fields of AWS's `DescribeExecution`. Spec: AWS "ResultWriter", exported files */
function recordOf({ execution, mapRun, inputs, results }: FinishedMap, index: number): JsonObject {
  const outcome = results[index]!;
  const { child, stateMachine } = mapRunNames(execution, mapRun);
  const { Id: id, Name: name } = child(index);
  const status = statusOf(outcome);
  const isSucceeded = outcome?.status === 'succeeded';
  const { startedAt, stoppedAt } = outcome ?? {};
  return {
    ...(outcome?.status === 'failed' && {
      Cause: outcome.cause ?? null,
      Error: outcome.error ?? null,
    }),
    ExecutionArn: id,
    Input: JSON.stringify(inputs[index]),
    InputDetails: { Included: true },
    Name: name,
    ...(isSucceeded && { Output: JSON.stringify(outcome.output) }),
    OutputDetails: { Included: true },
    RedriveCount: 0,
    RedriveStatus: 'NOT_REDRIVABLE',
    RedriveStatusReason: `Execution is ${status} and cannot be redriven`,
    ...(startedAt !== undefined && { StartDate: new Date(startedAt).toISOString() }),
    StateMachineArn: stateMachine.Id,
    Status: status,
    ...(stoppedAt !== undefined && { StopDate: new Date(stoppedAt).toISOString() }),
  };
}

/** The texts of the files: for each status as many as its results need. */
function filesOf(
  map: FinishedMap,
  writer: ResultWriter,
): (ResultFile & { status: ResultStatus })[] {
  const results = resultsOf(map, writer);
  const [suffix, open, between, close] =
    writer.OutputType === 'JSONL'
      ? (['jsonl', '', '\n', '\n'] as const)
      : (['json', '[', ',', ']'] as const);
  return statuses.flatMap((status) => {
    const parts = results.flatMap((result) =>
      result.status === status ? result.values.map((value) => JSON.stringify(value)) : [],
    );
    return chunked(parts).map((chunk, number) => ({
      status,
      Key: `${status}_${number}.${suffix}`,
      Body: open + chunk.join(between) + close,
    }));
  });
}

function chunked(parts: readonly string[]): string[][] {
  const chunks: string[][] = [];
  let room = 0;
  for (const part of parts) {
    if (part.length > room || chunks.length === 0) {
      chunks.push([]);
      room = longestFile;
    }
    chunks.at(-1)!.push(part);
    room -= part.length + 1;
  }
  return chunks;
}

function manifestOf(
  { execution, mapRun }: FinishedMap,
  { Bucket: bucket }: JsonObject,
  folder: string,
  written: Writing['files'],
) {
  const filesWith = (of: ResultStatus) =>
    written.flatMap(({ status, Key, Size }) => (status === of ? [{ Key, Size }] : []));
  const manifest = {
    DestinationBucket: bucket,
    MapRunArn: mapRunNames(execution, mapRun).mapRun,
    ResultFiles: {
      FAILED: filesWith('FAILED'),
      PENDING: filesWith('PENDING'),
      SUCCEEDED: filesWith('SUCCEEDED'),
    },
  };
  return { Key: `${folder}manifest.json`, Body: JSON.stringify(manifest) };
}

/** The size of a text in UTF-8. */
export function bytesOfText(text: string): number {
  return new TextEncoder().encode(text).length;
}

function failed(cause: string): StatesError {
  return new StatesError('States.ResultWriterFailed', cause);
}
