import type { Json } from '@dramaturg/compiler';
import type { Letter, RecordOrigin, Timer } from '@dramaturg/host';

/**
 * The state of an instance in its virtual object, by keys. A step reads and writes a constant amount of it, however long the
 * conversation is:
 *
 * - `head`: a `Head`, all that is small and changes often. A delivery receipt changes nothing else, besides one journal chunk.
 * - `snapshot`: a `StoredSnapshot`, without its parts.
 * - `part/<key>`: a part of the snapshot. The head lists the keys.
 * - `journal/<n>` and `transcript/<n>`: the lines that the n-th write has added, from 0, as a `Chunk`. They are never changed.
 */
export const headKey = 'head';
export const snapshotKey = 'snapshot';

export type LineKind = 'journal' | 'transcript';

export function partKey(key: string): string {
  return `part/${key}`;
}

/** Padded, so that the keys of chunks sort in their order. */
export function chunkKey(kind: LineKind, index: number): string {
  return `${kind}/${String(index).padStart(9, '0')}`;
}

/** True while the head has kept messages, so that a process that starts finds them. */
export const keptKey = 'kept';

/** Everything about an instance except its snapshot and its lines. */
export interface Head {
  readonly origin: RecordOrigin;
  readonly status: string;
  readonly ended: boolean;
  /** The instance holds its contact. */
  readonly holds: boolean;
  /** The instance waits for its contact to become free. */
  readonly waits: boolean;
  /** Ids of the last messages that it has received. Absent before it has ended, and without any. */
  readonly seen?: readonly string[];
  /** 1 after creation; each write adds 1. */
  readonly revision: number;
  /** Milliseconds since 1970 UTC. */
  readonly updatedAt: number;
  readonly timers: readonly Timer[];
  readonly questions: number;
  readonly outbox: readonly Letter[];
  /** The keys of the parts of the snapshot. */
  readonly parts: readonly string[];
  readonly journal: LineCounts;
  readonly transcript: LineCounts;
  /** The letter that is with its channel, by route. */
  readonly sending: Readonly<Record<string, string>>;
  /** The idempotency keys of the calls and deliveries that are with Restate, by letter. */
  readonly work: Readonly<Record<string, string>>;
  /** Messages that no process could deliver so far, because their channel is missing. Absent when there are none. */
  readonly kept?: readonly string[];
  /** The contact as it was given, for channels. */
  readonly address: string | null;
  readonly channel: string | null;
  /** The delayed call that fires timers; null when none is pending. */
  readonly alarm: Alarm | null;
  /** The beginning of the last absence of all processes of which the instance is notified, if its timers pause during one. */
  readonly recoveredFrom?: number;
  /** How many alarms were set so far. */
  readonly alarms: number;
}

/** The revision lets a reader notice that a step is being written while it reads. */
export interface StoredSnapshot {
  readonly revision: number;
  readonly snapshot: Json;
}

export interface LineCounts {
  /** Number of lines. */
  readonly lines: number;
  readonly chunks: number;
}

/** Lines that one write has added. */
export interface Chunk {
  /** The index of the first line among all lines. */
  readonly from: number;
  readonly lines: readonly Json[];
}

/**
 * At most one alarm of an instance counts: an earlier timer replaces it, and a later one waits for it. An alarm of another
 * number was replaced, and does nothing.
 */
export interface Alarm {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly number: number;
}
