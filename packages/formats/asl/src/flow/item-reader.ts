import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { type PersistentList, withValue } from '@dramaturg/compiler/format';
import {
  type CsvFormat,
  itemsIn,
  parseJson,
  parseJsonLines,
  readAthenaManifest,
  readCsv,
  readInventoryManifest,
  valueAt,
} from '../data/dataset.ts';
import { StatesError, toText } from '../data/states-error.ts';
import type { Dialect, ValueSource } from '../definition/index.ts';
import type { ItemReader, MapState } from '../kinds/map/definition.ts';
import type { Run } from './run.ts';
import { compileOptionalSource, type ValueReader, compileStateTemplate } from './value-source.ts';

/** The items that an `ItemReader` has read so far, and the calls that are left. */
export interface Reading {
  readonly requests: readonly ReadRequest[];
  /** The index of the request to make. */
  readonly next: number;
  /** The items read from each object. The parts of the list stay the same objects, so that a host stores them once. */
  readonly lists: PersistentList<ReadItems>;
  /** How many items were read. */
  readonly count: number;
  /** Characters read so far. */
  readonly size: number;
  /** How many items are wanted; all when absent. */
  readonly most?: number;
  /** The columns of the files in an inventory. */
  readonly headers?: readonly string[];
}

interface ReadRequest {
  readonly kind: 'list' | 'manifest' | 'data';
  /** The input of the action of S3. */
  readonly input: S3Request;
}

type S3Request = JsonObject & { readonly Bucket: string; readonly Key?: string };

/** The items of one object, or of a list of objects. */
export interface ReadItems {
  /** `$$.Map.Item.Source`: `S3://bucket/key`, or `S3://bucket` for a list. */
  readonly source: string;
  readonly items: readonly Json[];
  /** The items are the fields of an object, `{ Key, Value }`. */
  readonly isKeyed?: boolean;
}

/** Reads the items of a Map, a call at a time. Spec: AWS "ItemReader" */
export interface ItemReading {
  /** @throws StatesError when the request cannot be computed */
  readonly begin: (run: Run, selected: Json) => Reading;
  /** @throws StatesError States.ItemReaderFailed */
  readonly take: (reading: Reading, answer: Json) => Reading;
  /** The items in the content of an object that was read elsewhere. */
  readonly itemsOf: (run: Run, selected: Json, content: Json) => ReadItems;
}

export function isReading({ next, requests }: Reading): boolean {
  return next < requests.length;
}

/** The agent that reads, and its input. */
export function readCallOf({ Resource: resource }: ItemReader, reading: Reading) {
  const { kind, input } = reading.requests[reading.next]!;
  // The objects of a list are read by the same partition's action.
  const agent = kind === 'list' ? resource : resource.replace(/listObjectsV2$/, 'getObject');
  return { agent, input };
}

export function compileItemReader(state: MapState, dialect: Dialect): ItemReading | undefined {
  const { ItemReader: reader } = state;
  if (!reader) return undefined;
  const given = compileArguments(reader.Arguments, state, dialect);
  const maxItems = compileNumber(reader.MaxItems, 'MaxItems', dialect, whole);
  const lists = reader.Resource.endsWith('listObjectsV2');
  const isManifest = reader.InputType === 'MANIFEST' || reader.ManifestType !== undefined;
  const kind = lists ? 'list' : isManifest ? 'manifest' : 'data';
  return {
    begin(run, selected) {
      const input = requestOf(given(run, selected), lists ? ['Bucket'] : ['Bucket', 'Key']);
      const most = maxItems(run, selected);
      return {
        requests: [{ kind, input }],
        next: 0,
        lists: [],
        count: 0,
        size: 0,
        ...(most !== undefined && most > 0 && { most }),
      };
    },
    take(reading, answer) {
      const request = reading.requests[reading.next]!;
      const taken = { ...reading, next: reading.next + 1 };
      if (request.kind === 'list') return takePage(reader, taken, request, answer);
      const body = bodyOf(answer, request);
      const size = reading.size + (typeof body === 'string' ? body.length : 0);
      if (size > longestData) throw failed(`${tooLarge} Read fewer or smaller objects.`);
      const sized = { ...taken, size };
      if (request.kind === 'manifest') return takeManifest(reader, sized, request, body);
      const source = `S3://${request.input.Bucket}/${request.input.Key}`;
      const list = { source, ...itemsOf(reader, body, roomOf(reading), reading.headers) };
      return withList(sized, list);
    },
    itemsOf(run, selected, content) {
      const shown = (value: Json) => run.inspect?.('afterItemsPointer', value);
      const most = maxItems(run, selected) || Infinity;
      const { items, isKeyed } = itemsOf(reader, content, most, undefined, shown);
      return { source: stateData, items: items.slice(0, most), isKeyed };
    },
  };
}

/** `$$.Map.Item.Source` of items that were not read. */
export const stateData = 'STATE_DATA';

/** Characters that all objects of one Map may have together. */
const longestData = 256 * 1024 * 1024;
const tooLarge = 'The objects of the ItemReader have more than 256 MiB together.';

function requestOf(input: Json, fields: readonly string[]): S3Request {
  const request = isRecord(input) ? input : {};
  for (const field of fields) {
    const value = request[field];
    if (typeof value === 'string' && value !== '') continue;
    const found = value === undefined ? 'missing' : 'no text, or empty';
    throw failed(`The field "${field}" of the ItemReader is ${found}.`);
  }
  return request as S3Request;
}

/** Either the text of an object, or its content as JSON. */
function bodyOf(answer: Json, { input }: ReadRequest): Json {
  const body = isRecord(answer) ? answer['Body'] : answer;
  if (body !== undefined && body !== null) return body;
  throw failed(
    `The answer for "${input.Key}" has no content. Expected { "Body": the text of the object }.`,
  );
}

function takePage(reader: ItemReader, reading: Reading, request: ReadRequest, page: Json): Reading {
  const contents = isRecord(page) ? (page['Contents'] ?? []) : undefined;
  if (!Array.isArray(contents)) throw failed('The answer of "listObjectsV2" has no "Contents".');
  const { next } = reading;
  const {
    Bucket: bucket,
    Prefix: _,
    StartAfter: __,
    ContinuationToken: at,
    ...base
  } = request.input;
  const { IsTruncated: isTruncated, NextContinuationToken: token } = page as JsonObject;
  const goesOn = isTruncated === true && typeof token === 'string';
  if (goesOn && token === at)
    throw failed('"listObjectsV2" has answered with the same page again.');
  const objects = contents.map((object) => {
    const key = isRecord(object) ? object['Key'] : undefined;
    if (typeof key !== 'string')
      throw failed('An object in the answer of "listObjectsV2" has no "Key".');
    return { key, fields: object as JsonObject };
  });
  const { MaxKeys: ___, ...same } = base;
  const data: ReadRequest[] = reader.loads
    ? objects
        .filter(({ key }) => !key.endsWith('/'))
        .map(({ key }) => ({ kind: 'data', input: { ...same, Bucket: bucket, Key: key } }))
    : [];
  const again: ReadRequest[] = goesOn
    ? [{ kind: 'list', input: { ...request.input, ContinuationToken: token } }]
    : [];
  const requests = [
    ...reading.requests.slice(0, next),
    ...again,
    ...reading.requests.slice(next),
    ...data,
  ];
  const listed = { ...reading, requests };
  if (reader.loads) return listed;
  const items = objects.map(({ fields }) => objectItem(fields));
  return withList(listed, { source: `S3://${bucket}`, items });
}

/** An object of a list as an item. AWS "ItemReader", Amazon S3 objects */
function objectItem({ ETag, Etag, Key, LastModified, Size, StorageClass }: JsonObject): JsonObject {
  const fields = { Etag: Etag ?? ETag, Key, LastModified, Size, StorageClass };
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}

function takeManifest(
  reader: ItemReader,
  reading: Reading,
  { input }: ReadRequest,
  body: Json,
): Reading {
  const { Key: _, VersionId: __, Bucket: bucket, ...same } = input;
  const { files, headers } =
    reader.ManifestType === 'ATHENA_DATA'
      ? readAthenaManifest(typeof body === 'string' ? body : '')
      : readInventoryManifest(body, bucket);
  const data = files.map((file): ReadRequest => ({
    kind: 'data',
    input: { ...same, Bucket: file.bucket, Key: file.key },
  }));
  return { ...reading, requests: [...reading.requests, ...data], ...(headers && { headers }) };
}

/** The items in the content of an object; `inventory` has the columns of a file that a manifest lists. */
function itemsOf(
  reader: ItemReader,
  content: Json,
  most: number,
  inventory?: readonly string[],
  shown?: (value: Json) => void,
): Found {
  const { CSVHeaders: headers, CSVDelimiter: delimiter, ItemsPointer: pointer } = reader;
  if (typeof content === 'string') {
    const text = content.startsWith(byteOrderMark) ? content.slice(1) : content;
    const table = (format: CsvFormat) => ({ items: readCsv(text, format, most), isKeyed: false });
    if (inventory) return table({ headers: inventory, delimiter: ',' });
    switch (reader.InputType) {
      case 'CSV':
        return table({ headers, delimiter });
      case 'JSONL':
        return { items: parseJsonLines(text, most), isKeyed: false };
      case 'PARQUET':
        throw failed(
          'Parquet cannot be read here. Convert the object to CSV or JSONL, or answer the read with an agent that gives { "Body": [rows as JSON] }.',
        );
      default:
        if (reader.ManifestType === 'ATHENA_DATA' && reader.InputType !== 'JSON') {
          throw failed(
            'The "InputType" of the files in a manifest of Athena is unknown. Set it to "CSV" or "JSONL".',
          );
        }
        return itemsOf(reader, parseJson(text), most, undefined, shown);
    }
  }
  const value = pointer === undefined || pointer === '' ? content : valueAt(content, pointer);
  if (pointer !== undefined) shown?.(value);
  return { items: itemsIn(value), isKeyed: isRecord(value) };
}

type Found = Required<Omit<ReadItems, 'source'>>;

const byteOrderMark = '\ufeff';

function roomOf({ most, count }: Reading): number {
  return most === undefined ? Infinity : most - count;
}

/** Adds a list without the items beyond `MaxItems`, and reads no more once there are enough. */
function withList(reading: Reading, list: ReadItems): Reading {
  const room = roomOf(reading);
  const { items } = list;
  const isEnough = items.length >= room;
  const kept = isEnough ? { ...list, items: items.slice(0, room) } : list;
  return {
    ...reading,
    lists: withValue(reading.lists, kept),
    count: reading.count + kept.items.length,
    ...(isEnough && { next: reading.requests.length }),
  };
}

function failed(cause: string): StatesError {
  return new StatesError('States.ItemReaderFailed', cause);
}

/** Compiles a template in a block of a Map: `Parameters`, or `Arguments` in a JSONata state. */
export function compileArguments(
  template: Json | undefined,
  state: MapState,
  dialect: Dialect,
): ValueReader {
  if (template === undefined) return () => ({});
  const field = state.QueryLanguage === 'JSONata' ? 'Arguments' : 'Parameters';
  return compileStateTemplate(template, state, dialect, field);
}

interface NumberKind {
  readonly name: string;
  readonly fits: (value: number) => boolean;
  /** Why the number is out of range, or undefined. */
  readonly fault: (value: number) => string | undefined;
}

export const whole: NumberKind = {
  name: 'integer',
  fits: Number.isInteger,
  fault: (value) => (value < 0 ? 'cannot be negative' : undefined),
};

export const positive: NumberKind = {
  ...whole,
  fault: (value) => (value < 1 ? 'must be at least 1' : undefined),
};

export const percent: NumberKind = {
  name: 'float',
  fits: Number.isFinite,
  fault: (value) => (value < 0 || value > 100 ? 'must be between 0 and 100' : undefined),
};

/**
 * Compiles a number of a Map.
 *
 * @throws StatesError States.Runtime in AWS's words, States.QueryEvaluationError for an expression
 */
export function compileNumber(
  source: ValueSource<number> | undefined,
  field: string,
  dialect: Dialect,
  kind: NumberKind,
): (run: Run, selected: Json) => number | undefined {
  const read = compileOptionalSource(source, dialect, field);
  if (!read || !source) return () => undefined;
  return (run, selected) => {
    const value = asNumber(read(run, selected), source);
    if (typeof value !== 'number' || !kind.fits(value))
      throw invalidNumber(value, source, field, kind);
    const fault = kind.fault(value);
    if (fault !== undefined) throw new StatesError('States.Runtime', `${field} ${fault}.`);
    return value;
  };
}

/** AWS reads a string at a path as a number when it looks like one. */
function asNumber(value: Json, source: ValueSource): Json {
  const isWritten = 'path' in source && typeof value === 'string' && value.trim() !== '';
  return isWritten && Number.isFinite(Number(value)) ? Number(value) : value;
}

function invalidNumber(
  value: Json,
  source: ValueSource,
  field: string,
  kind: NumberKind,
): StatesError {
  const shown = toText(value).slice(0, 200);
  if ('path' in source) {
    return new StatesError(
      'States.Runtime',
      `The ${field}Path field refers to value "${shown}" which is not a valid ${kind.name}: ${source.path}`,
    );
  }
  return new StatesError(
    'States.QueryEvaluationError',
    `The value ${shown} for the field '${field}' is not a valid ${kind.name}.`,
  );
}
