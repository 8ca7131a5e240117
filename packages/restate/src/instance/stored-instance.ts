import type { Json } from '@dramaturg/compiler';
import type { Letter, NewLines, StoreRecord } from '@dramaturg/host/store';
import { attentionField, unknownInstance } from '@dramaturg/host/engine';
import {
  type ObjectContext,
  type ObjectSharedContext,
  RestatePromise,
} from '@restatedev/restate-sdk';
import { BeingWrittenError } from '../restate/outcome.ts';
import {
  type Chunk,
  chunkKey,
  type Head,
  headKey,
  type LineKind,
  type Lines,
  partKey,
  snapshotKey,
  type StoredSnapshot,
} from './state-layout.ts';

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
  const { origin, status, ended, revision, updatedAt, timers, questions, attention, outbox } = head;
  return {
    ...origin,
    status,
    ended,
    revision,
    updatedAt,
    timers,
    ...(questions > 0 && { questions }),
    ...attentionField(attention),
    journalLength: head.journal.lines,
    transcriptLength: head.transcript.lines,
    snapshot,
    parts,
    outbox,
  };
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
