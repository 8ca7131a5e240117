import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { EachOutput } from '@dramaturg/compiler/format';
import { StatesError } from '../data/states-error.ts';
import type { Dialect } from '../definition/index.ts';
import type { MapState, ResultWriter } from '../kinds/map/definition.ts';
import type { Spending } from './budget.ts';
import {
  type Execution,
  type Failure,
  type MapRun,
  mapRunNames,
  type Run,
  type Usage,
} from './run.ts';
import { compileArguments } from './item-reader.ts';

/** The output of an item's machine. */
export type ItemOutput = {
  readonly usage?: Usage;
  readonly spent?: Spending;
  /** Only in a distributed Map; milliseconds since 1970 UTC. */
  readonly startedAt?: number;
  readonly stoppedAt?: number;
} & (
  | { readonly status: 'succeeded'; readonly output: Json }
  | ({ readonly status: 'failed' } & Partial<Failure>)
);

/** The results of a Map that are being written, a file at a time. */
export interface Writing {
  /** The output of the supervisor. */
  readonly ended: EachOutput;
  /** All files of results; the manifest follows. */
  readonly files: readonly ResultFile[];
  /** How many files are written. */
  readonly next: number;
}

/** A file with the results of one status. Its text is made when it is written. */
interface ResultFile {
  readonly status: ResultStatus;
  readonly Key: string;
  /** Bytes. */
  readonly Size: number;
  /** The indexes of its first item, and of the item after its last. */
  readonly first: number;
  readonly end: number;
}

export function isWriting({ next, files }: Writing): boolean {
  return next <= files.length;
}

const statuses = ['SUCCEEDED', 'FAILED', 'PENDING'] as const;
type ResultStatus = (typeof statuses)[number];

/** A finished run of a Map. */
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
  /** The files that the results need. */
  readonly files: (map: FinishedMap, target: JsonObject) => ResultFile[];
  /** The name and the text of the next file: of results, or the manifest at the end. */
  readonly nextFile: (map: FinishedMap, target: JsonObject, writing: Writing) => PutObject;
  /** The result of the state when everything is written. */
  readonly written: (map: FinishedMap, target: JsonObject) => Json;
}

interface PutObject {
  readonly Key: string;
  readonly Body: string;
}

/** Bytes of one file; AWS has files of up to 5 GB. Each file is an argument of a call, so it must fit in a record. */
const longestFile = 8 * 1024 * 1024;

export function compileResultWriter(state: MapState, dialect: Dialect): ResultWriting | undefined {
  const { ResultWriter: writer } = state;
  if (!writer) return undefined;
  const given = compileArguments(writer.Arguments, state, dialect);
  return {
    begin(run, selected) {
      return writer.Resource === undefined ? undefined : targetOf(given(run, selected));
    },
    transformed: (map) => map.results.flatMap((_, index) => valuesOf(map, writer, index)),
    files: (map, target) =>
      statuses.flatMap((status) => filesOf(map, writer, status, folderOf(target, map))),
    nextFile(map, target, { files, next }) {
      const file = files[next];
      if (!file) return manifestOf(map, target, files);
      return { Key: file.Key, Body: textOf(map, writer, file) };
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

/** The values that are written for an item: one, or any number for a flattened list. */
function valuesOf(
  map: FinishedMap,
  { Transformation: transformation }: ResultWriter,
  index: number,
): readonly Json[] {
  const outcome = map.results[index]!;
  if (transformation === 'NONE' || outcome?.status !== 'succeeded') return [recordOf(map, index)];
  const { output } = outcome;
  return transformation === 'FLATTEN' && Array.isArray(output) ? output : [output];
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

/** The parts around the values of a file. */
const layouts = {
  JSON: { suffix: 'json', open: '[', between: ',', close: ']' },
  JSONL: { suffix: 'jsonl', open: '', between: '\n', close: '\n' },
} as const;

/** The files for the results of a status, as many as their size needs. */
function filesOf(
  map: FinishedMap,
  writer: ResultWriter,
  status: ResultStatus,
  folder: string,
): ResultFile[] {
  const { suffix, open, close } = layouts[writer.OutputType];
  const files: ResultFile[] = [];
  for (const [index, outcome] of map.results.entries()) {
    if (statusOf(outcome) !== status) continue;
    const texts = textsOf(map, writer, index);
    if (texts.length === 0) continue;
    // Each value is followed by a separator, or by the end.
    const bytes = texts.reduce((sum, text) => sum + bytesOfText(text) + 1, 0);
    const last = files.at(-1);
    if (last && last.Size + bytes <= longestFile) {
      files[files.length - 1] = { ...last, Size: last.Size + bytes, end: index + 1 };
    } else {
      const Key = `${folder}${status}_${files.length}.${suffix}`;
      const around = open.length + close.length - 1;
      files.push({ status, Key, Size: bytes + around, first: index, end: index + 1 });
    }
  }
  return files;
}

function textsOf(map: FinishedMap, writer: ResultWriter, index: number): string[] {
  return valuesOf(map, writer, index).map((value) => JSON.stringify(value));
}

function textOf(map: FinishedMap, writer: ResultWriter, file: ResultFile): string {
  const { open, between, close } = layouts[writer.OutputType];
  const texts: string[] = [];
  for (let index = file.first; index < file.end; index += 1) {
    if (statusOf(map.results[index]!) === file.status) texts.push(...textsOf(map, writer, index));
  }
  return open + texts.join(between) + close;
}

function manifestOf(map: FinishedMap, target: JsonObject, files: readonly ResultFile[]): PutObject {
  const filesWith = (of: ResultStatus) =>
    files.flatMap(({ status, Key, Size }) => (status === of ? [{ Key, Size }] : []));
  const manifest = {
    DestinationBucket: target['Bucket'],
    MapRunArn: mapRunNames(map.execution, map.mapRun).mapRun,
    ResultFiles: {
      FAILED: filesWith('FAILED'),
      PENDING: filesWith('PENDING'),
      SUCCEEDED: filesWith('SUCCEEDED'),
    },
  };
  return { Key: `${folderOf(target, map)}manifest.json`, Body: JSON.stringify(manifest) };
}

/** The size of a string in UTF-8. */
function bytesOfText(text: string): number {
  return new TextEncoder().encode(text).length;
}

function failed(cause: string): StatesError {
  return new StatesError('States.ResultWriterFailed', cause);
}
