import type { Json } from '@dramaturg/compiler';
import { unknownInstance } from '@dramaturg/host/engine';
import type {
  Attention,
  Letter,
  NewLines,
  RecordOrigin,
  StoreRecord,
  Timer,
} from '@dramaturg/host/store';
import {
  type ObjectContext,
  type ObjectSharedContext,
  RestatePromise,
} from '@restatedev/restate-sdk';
import { summaryOf } from '../records/record-object.ts';
import { BeingWrittenError } from '../restate/ingress.ts';

/**
 * The state of an instance in its virtual object, by keys. A step reads and writes a constant amount of it, independent of the
 * length of the conversation. Each read or write of a key costs Restate about as much as a fifth of an invocation, so most steps
 * read and write only the head:
 *
 * - `head`: a `Head`.
 * - `snapshot`: a `StoredSnapshot`, without its parts, when it is too long for the head.
 * - `part/<key>`: a part of the snapshot. The head lists the keys.
 * - `reader/<name>`: the number of journal lines that a reader has read.
 * - `journal/<n>` and `transcript/<n>`: lines as a `Chunk`, from 0. Chunks are never changed. The head has the lines after them.
 */
export const headKey = 'head';
const snapshotKey = 'snapshot';

export type LineKind = 'journal' | 'transcript';

export function partKey(key: string): string {
  return `part/${key}`;
}

export function readerKey(reader: string): string {
  return `reader/${reader}`;
}

/** Padded, so that the keys of chunks sort in their order. */
export function chunkKey(kind: LineKind, index: number): string {
  return `${kind}/${String(index).padStart(9, '0')}`;
}

/** True while the head has kept messages, so that a process that starts finds them. */
export const keptKey = 'kept';

/** The head of an instance. Lists compare and return its first fields; long fields come last. */
export interface Head {
  readonly origin: RecordOrigin;
  readonly status: string;
  readonly ended: boolean;
  /** Whether the instance holds its contact. */
  readonly holds: boolean;
  /** Whether the instance waits for its contact to become free. */
  readonly waits: boolean;
  /** 1 after creation; each write adds 1. */
  readonly revision: number;
  /** Milliseconds since 1970 UTC. */
  readonly updatedAt: number;
  readonly timers: readonly Timer[];
  readonly questions: number;
  /** It precedes long fields, like all fields that lists compare. Absent in heads of earlier releases. */
  readonly attention?: Attention;
  readonly outbox: readonly Letter[];
  /** The keys of the parts of the snapshot. */
  readonly parts: readonly string[];
  /** The letter that its channel has now, by route. */
  readonly sending: Readonly<Record<string, string>>;
  /** The idempotency keys of the calls and deliveries that Restate runs, by letter. */
  readonly work: Readonly<Record<string, string>>;
  /** Messages that no process could deliver so far, because their channel is missing. Absent when there are none. */
  readonly kept?: readonly string[];
  /** The contact as it was given, for channels. */
  readonly address: string | null;
  readonly channel: string | null;
  /** The delayed call that fires timers; null when none is pending. */
  readonly alarm: Alarm | null;
  /** The beginning of the last absence of all processes that the instance was notified of, if its timers pause during one. */
  readonly recoveredFrom?: number;
  /** Number of alarms set so far. */
  readonly alarms: number;
  readonly journal: Lines;
  readonly transcript: Lines;
  /** The snapshot without its parts. Absent when it has its own key. */
  readonly snapshot?: Json | undefined;
}

/** A snapshot with its revision, by which a reader notices that a step is being written while it reads. */
export interface StoredSnapshot {
  readonly revision: number;
  readonly snapshot: Json;
}

export interface Lines {
  /** Number of all lines. */
  readonly lines: number;
  readonly chunks: number;
  /** The lines that are not in a chunk yet. */
  readonly latest: readonly Json[];
}

const noLines: Lines = { lines: 0, chunks: 0, latest: [] };

/** The head of an instance before its first write, which is made at `updatedAt`. */
export function emptyHead(origin: RecordOrigin, status: string, updatedAt: number): Head {
  return {
    origin,
    status,
    ended: false,
    holds: false,
    waits: false,
    revision: 0,
    updatedAt,
    timers: [],
    questions: 0,
    attention: {},
    outbox: [],
    parts: [],
    sending: {},
    work: {},
    address: null,
    channel: null,
    alarm: null,
    alarms: 0,
    journal: noLines,
    transcript: noLines,
  };
}

/** A chunk of consecutive lines. */
export interface Chunk {
  /** The index of the first line among all lines. */
  readonly from: number;
  readonly lines: readonly Json[];
}

/**
 * At most one alarm of an instance counts: an earlier timer replaces it, and a later one waits for it. An alarm with another
 * number was replaced, and does nothing.
 */
export interface Alarm {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly number: number;
}

/** @throws HostError `host/unknown-instance` */
export async function readHead(context: ObjectSharedContext): Promise<Head> {
  const head = await context.get<Head>(headKey);
  if (!head) throw unknownInstance(context.key);
  return head;
}

/** A snapshot with longer JSON has its own key, so that reads of the head do not load it. */
const snapshotLengthMax = 16_384;

/** Lines become a chunk when their JSON has this length: few reads return many lines, and a write repeats few. */
const chunkLength = 4_096;

/**
 * Reads an instance without its lines. Always reads the same keys in the same order, as Restate requires.
 *
 * @throws HostError `host/unknown-instance`; `BeingWrittenError` in a shared handler, while a step is being written
 */
export async function readInstance(
  context: ObjectSharedContext,
): Promise<{ readonly head: Head; readonly record: StoreRecord }> {
  const head = await readHead(context);
  const { parts: keys, snapshot } = head;
  const isInHead = snapshot !== undefined;
  const values = await valuesOf(context, [
    ...keys.map(partKey),
    ...(isInHead ? [] : [snapshotKey]),
  ]);
  if (values.includes(null)) throw new BeingWrittenError();
  const parts = keys.map((key, index) => ({ key, value: values[index]! }));
  if (isInHead) return { head, record: recordOf(head, snapshot, parts) };
  const stored = values.at(-1) as unknown as StoredSnapshot;
  if (stored.revision !== head.revision) throw new BeingWrittenError();
  return { head, record: recordOf(head, stored.snapshot, parts) };
}

/** Stores a snapshot without its parts, and returns the field of the head for it. */
export function writeSnapshot(
  context: ObjectContext,
  before: Head,
  { revision, snapshot }: StoredSnapshot,
): Pick<Head, 'snapshot'> {
  if (JSON.stringify(snapshot).length <= snapshotLengthMax) {
    if (before.revision > 0 && before.snapshot === undefined) context.clear(snapshotKey);
    return { snapshot };
  }
  const stored: StoredSnapshot = { revision, snapshot };
  context.set(snapshotKey, stored);
  return { snapshot: undefined };
}

export function recordOf(head: Head, snapshot: Json, parts: StoreRecord['parts']): StoreRecord {
  return { ...summaryOf(head), snapshot, parts, outbox: head.outbox };
}

/** Appends lines, and returns the new fields of the head. */
export function appendLines(
  context: ObjectContext,
  before: Pick<Head, LineKind>,
  { journal = [], transcript = [] }: NewLines,
): Pick<Head, LineKind> {
  const append = (kind: LineKind, added: readonly Json[]): Lines => {
    if (added.length === 0) return before[kind];
    const { chunks } = before[kind];
    const lines = before[kind].lines + added.length;
    const latest = [...before[kind].latest, ...added];
    if (JSON.stringify(latest).length < chunkLength) return { lines, chunks, latest };
    const chunk: Chunk = { from: lines - latest.length, lines: latest };
    context.set(chunkKey(kind, chunks), chunk);
    return { lines, chunks: chunks + 1, latest: [] };
  };
  return { journal: append('journal', journal), transcript: append('transcript', transcript) };
}

export function outboxAfter(
  outbox: readonly Letter[],
  settled: readonly string[],
  effects: readonly Letter[],
): readonly Letter[] {
  return [...outbox.filter(({ id }) => !settled.includes(id)), ...effects];
}

/** Entries without the given keys. */
export function without<Value>(
  entries: Readonly<Record<string, Value>>,
  keys: readonly string[],
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !keys.includes(key)));
}

/** Reads all values in parallel. */
async function valuesOf(
  context: ObjectSharedContext,
  keys: readonly string[],
): Promise<readonly (Json | null)[]> {
  if (keys.length === 0) return [];
  return RestatePromise.all(
    keys.map((key) => context.get<Json>(key) as RestatePromise<Json | null>),
  );
}
