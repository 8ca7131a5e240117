import type { Json } from '@dramaturg/compiler';
import type { Letter, NewLines, StoreRecord } from '@dramaturg/host';
import { unknownInstance } from '@dramaturg/host/engine';
import {
  type ObjectContext,
  type ObjectSharedContext,
  RestatePromise,
} from '@restatedev/restate-sdk';
import { BeingWrittenError } from '../restate/being-written-error.ts';
import {
  chunkKey,
  type Head,
  headKey,
  type LineCounts,
  type LineKind,
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

/**
 * Reads an instance without its lines. Always asks for the same keys in the same order, as Restate requires.
 *
 * @throws HostError `host/unknown-instance`; `BeingWrittenError` in a shared handler, while a step is being written
 */
export async function readInstance(
  context: ObjectSharedContext,
): Promise<{ readonly head: Head; readonly record: StoreRecord }> {
  const values = await valuesOf(context, [headKey, snapshotKey]);
  const [head, stored] = values as unknown as [Head | null, StoredSnapshot | null];
  if (!head) throw unknownInstance(context.key);
  const { parts: keys } = head;
  const found = await valuesOf(context, keys.map(partKey));
  if (stored?.revision !== head.revision || found.includes(null)) throw new BeingWrittenError();
  const parts = keys.map((key, index) => ({ key, value: found[index]! }));
  return { head, record: recordOf(head, stored.snapshot, parts) };
}

export function recordOf(head: Head, snapshot: Json, parts: StoreRecord['parts']): StoreRecord {
  const { origin, status, ended, revision, updatedAt, timers, questions, outbox } = head;
  return {
    ...origin,
    status,
    ended,
    revision,
    updatedAt,
    timers,
    ...(questions > 0 && { questions }),
    journalLength: head.journal.lines,
    transcriptLength: head.transcript.lines,
    snapshot,
    parts,
    outbox,
  };
}

/** Appends lines, and returns the new counts. */
export function appendLines(
  context: ObjectContext,
  counts: Pick<Head, LineKind>,
  { journal = [], transcript = [] }: NewLines,
): Pick<Head, LineKind> {
  const append = (kind: LineKind, lines: readonly Json[]): LineCounts => {
    const { lines: from, chunks } = counts[kind];
    if (lines.length === 0) return counts[kind];
    context.set(chunkKey(kind, chunks), { from, lines });
    return { lines: from + lines.length, chunks: chunks + 1 };
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

/** Entries of other keys. */
export function without<Value>(
  entries: Readonly<Record<string, Value>>,
  keys: readonly string[],
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !keys.includes(key)));
}

/** Asks for all of them at once. */
async function valuesOf(
  context: ObjectSharedContext,
  keys: readonly string[],
): Promise<readonly (Json | null)[]> {
  if (keys.length === 0) return [];
  return RestatePromise.all(
    keys.map((key) => context.get<Json>(key) as RestatePromise<Json | null>),
  );
}
