import type { Json } from '@dramaturg/compiler';
import type { FeedPage, FeedPlace, FeedRequest } from './feed.ts';
import type { Ownership } from './ownership.ts';
import type { DamagedRecord, RepairStep, Verification } from './verification.ts';
import type { CountFilter, LineRange, Page, PageRequest, RecordFilter } from './selections.ts';

export type { FeedEntry, FeedPage, FeedRequest } from './feed.ts';
export type { CountFilter, LineRange, Page, PageRequest, RecordFilter } from './selections.ts';
export type { DamagedRecord, Verification } from './verification.ts';

/**
 * The durable storage of a host. Each durable actor (a contact, a conversation, a run of a workflow) is one record, and each
 * write changes one record, so no store needs transactions across records. Actors decide letters: a letter stays in the outbox of
 * its record until it has arrived, and keeps its id when it is sent again.
 *
 * Every store guarantees:
 *
 * - Each write is atomic, with its journal and transcript lines. When its promise fulfils, the write is stored. When its
 *   promise rejects, nothing is stored, except that after `store/failed` and `store/lost` the outcome is unknown.
 * - Reads and lists return stored data only, and include every write that was stored before the call.
 * - Writes to one record take effect in the order of the calls.
 * - Ids may be any string. An id is never used as a path, a query or a property name.
 * - Times come from the host, in milliseconds since 1970 UTC. The store compares them and never reads a clock.
 *
 * Every method rejects with a `StoreError`.
 */
export interface Store extends StoreReader {
  readonly ownership: Ownership;

  /**
   * Stores a new record: at revision 1, unless it is a copy that names its own.
   *
   * @throws `store/exists` when a record has this id, `store/damaged`, `store/bad-request`
   */
  create(record: NewRecord): Promise<Committed>;

  /**
   * Changes a record and increases its revision by 1. Fields that the change omits keep their value.
   *
   * @throws `store/conflict` when the record is not at the expected revision, `store/unknown`, `store/damaged`,
   *   `store/bad-request`
   */
  commit(change: Change): Promise<Committed>;

  /**
   * Stores a delivery receipt: removes a letter that has arrived from an outbox. The revision does not change.
   *
   * The promise fulfils when the system has the write, even in modes where other writes wait for the device. The device
   * follows with the next flush, within 100 ms. Waiting would not help, because a power cut can always happen between a
   * delivery and its receipt; the letter is then sent again with the same id. The death of the process loses no
   * receipt.
   *
   * @returns undefined when the outbox has no letter with this id; then nothing is stored, not even the lines
   * @throws `store/unknown`, `store/damaged`, `store/bad-request`
   */
  acknowledge(receipt: Receipt): Promise<Committed | undefined>;

  /**
   * Deletes a record, also a damaged one, with its parts, letters, timers and lines. `compact` removes its bytes from the files.
   *
   * @returns false when there is no record with this id
   */
  delete(id: string): Promise<boolean>;

  /**
   * Removes deleted and replaced data from the files of the store, in slices, so that other calls are answered in between.
   *
   * @param rewrites also removes data that a server otherwise leaves in its files. Other calls wait until the files are rewritten
   * @returns what may remain and where, in sentences for people; undefined when nothing remains
   */
  compact(rewrites?: boolean): Promise<string | undefined>;

  /** Gathers the statistics that keep lists fast. Present when the store itself does this only long after very many writes. */
  analyze?(): Promise<void>;

  /**
   * Copies the state of the store at one instant, while it is in use. The copy is a closed store of the same kind, and has been
   * verified when the promise fulfils.
   *
   * @param target a path that does not exist
   * @throws `store/exists` when the path exists; `store/bad-request` when the path is in the store itself, or when the store is
   *   not on a disk
   */
  backup(target: string): Promise<void>;

  /**
   * Waits for running writes, then releases the owner lock. All later calls except `close` reject with `store/closed`.
   * A store that is never closed loses nothing.
   */
  close(): Promise<void>;
}

/** Reads a store. Every method rejects with a `StoreError`. */
export interface StoreReader {
  /**
   * Reads a record.
   *
   * @returns undefined when there is no record with this id. The caller owns the returned value and may change it.
   * @throws `store/damaged` when the stored data differs from what was written. The record is then set aside, and all
   *   others are served.
   */
  read(id: string): Promise<StoreRecord | undefined>;

  /**
   * Lists the records that match every field of the filter, oldest first. A record keeps its position when it changes, so
   * consecutive pages contain each record once. With `queue`, the records that have waited longest come first, and a record that
   * enters the queue between two pages may be in neither.
   */
  list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>>;

  /** Counts the records that match every field of the filter. Damaged records may be counted. */
  count(filter: CountFilter): Promise<number>;

  /**
   * Lists the timers of all records that are due at or before a time, earliest first (H5). Timers of one record with
   * the same time are in the order of the record's list. A timer remains until a commit omits it.
   *
   * @param before milliseconds since 1970 UTC; `Infinity` for all timers
   * @param limit the maximum number of timers, 1 to 10,000
   */
  due(before: number, limit: number): Promise<readonly DueTimer[]>;

  /**
   * Lists the ids of records with letters in the outbox, oldest record first. A host that starts resumes these records.
   */
  pending(page: PageRequest): Promise<Page<string>>;

  /**
   * Reads lines of a record's journal, in the order in which they were stored.
   *
   * @throws `store/unknown`, `store/damaged`
   */
  journal(id: string, range: LineRange): Promise<readonly Json[]>;

  /** Reads lines of a record's transcript, like `journal`. */
  transcript(id: string, range: LineRange): Promise<readonly Json[]>;

  /**
   * Reads the feed: which writes have stored journal lines, in the order in which the store committed them. Consecutive pages
   * contain each of these writes once. Writes of deleted and of damaged records are left out.
   *
   * @throws `store/damaged` when the feed itself is damaged, `store/bad-request`
   */
  feed(request: FeedRequest): Promise<FeedPage>;

  /** Lists the damaged records that this run or an earlier one has set aside. */
  damaged(): Promise<readonly DamagedRecord[]>;

  /**
   * Reads everything, compares all checksums and looks for missing data. Changes nothing. Other calls are answered in between.
   *
   * @param onProgress called from time to time with the number of read records, and of all records
   */
  verify(onProgress?: (done: number, all: number) => void): Promise<Verification>;

  /** The number of bytes that the files of the store take. */
  size(): Promise<number>;

  /** Ends the reading. All later calls except `close` reject with `store/closed`. */
  close(): Promise<void>;
}

/** The location of a store that is not open yet. Nothing is read or written before `open`. */
export interface StoreLocation {
  /**
   * Opens the store and takes its owner lock (H6), until the store is closed or the process ends.
   *
   * @param owner a description of the owner for people; it appears in the error that a second owner gets
   * @throws `store/owned` when the store has another owner, with a message that names it; `store/foreign` when the
   *   location is not a store, or a store of a later version
   */
  open(owner: string): Promise<Store>;

  /**
   * Opens the store for reading. No lock is taken and nothing is written, so it works on a full and on a read-only disk.
   *
   * @throws `store/owned` when a living owner has the store; `store/foreign` when the location is not a store
   */
  read(): Promise<StoreReader>;

  /**
   * Plans the repair of a store that `open` refuses as damaged, for example because its newest log is lost. Nothing changes until
   * a step is applied. Stores without such damage, and stores that cannot repair themselves, return no steps.
   */
  repairs?(): Promise<readonly RepairStep[]>;
}

/** The fields of a record that never change. */
export interface RecordOrigin {
  /** 1 to 1,024 UTF-16 code units, like every name in this file: ids, keys, kinds, statuses. */
  readonly id: string;
  /** The kind of actor, defined by the host. */
  readonly kind: string;
  /** The person or address that the actor talks to. */
  readonly contact?: string;
  /** The id of the parent actor's record. */
  readonly parent?: string;
  /** The definition that the actor runs. The version is pinned: a later version does not affect this record. */
  readonly definition?: DefinitionVersion;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

/** One version of a definition. */
export interface DefinitionVersion {
  readonly name: string;
  readonly version: string;
}

/** The work of people that a record needs. Lists of their work select and sort by it. Absent fields do not apply. */
export interface Attention {
  /** The queue of people's work that the record is in, defined by the host. */
  readonly queue?: string;
  /** When it began to wait for a person, in milliseconds since 1970 UTC. Present when `queue` is. */
  readonly since?: number;
  /** The person who has taken it. */
  readonly owner?: string;
  /** When a person acted on it last, in milliseconds since 1970 UTC. */
  readonly actedAt?: number;
}

/** A record without its snapshot, parts, letters and lines: everything that lists return. */
export interface RecordSummary extends RecordOrigin {
  /** The state to show and to filter by, defined by the host. */
  readonly status: string;
  /** True when the actor accepts no more events (H7). */
  readonly ended: boolean;
  /** 1 after creation, unless the record was copied; each commit adds 1. */
  readonly revision: number;
  /** Milliseconds since 1970 UTC. */
  readonly updatedAt: number;
  readonly timers: readonly Timer[];
  /** The number of open questions to people; absent when it is 0. */
  readonly questions?: number;
  /** Absent when it would be empty. */
  readonly attention?: Attention;
  /** Number of lines. */
  readonly journalLength: number;
  /** Number of lines. */
  readonly transcriptLength: number;
}

/** A record without its lines. */
export interface StoreRecord extends RecordSummary {
  readonly snapshot: Json;
  /** The parts of the snapshot that are stored separately, in no particular order. */
  readonly parts: readonly Part[];
  /** Letters to send that are not acknowledged yet, in the order in which the actor decided them (H2). */
  readonly outbox: readonly Letter[];
}

/**
 * A part of a snapshot that is stored separately, so that a commit writes only changed parts. The store does not interpret parts:
 * the writer joins them with the snapshot.
 */
export interface Part {
  /** Unique in its record. */
  readonly key: string;
  readonly value: Json;
}

/** A stored event from one actor to another, or to the outside world. */
export interface Letter {
  /** Unique in its outbox, and the same each time the letter is sent. */
  readonly id: string;
  readonly body: Json;
}

/** A time at which an actor receives an event. */
export interface Timer {
  /** Unique among the timers of its record. */
  readonly key: string;
  /** The due time, in milliseconds since 1970 UTC (H5). */
  readonly at: number;
}

/** A timer and its record. */
export interface DueTimer extends Timer {
  /** The id of the record. */
  readonly id: string;
}

/** Lines to append. Each is one JSON value. */
export interface NewLines {
  readonly journal?: readonly Json[];
  readonly transcript?: readonly Json[];
}

/** A record to create. */
export interface NewRecord extends RecordOrigin, NewLines {
  readonly status: string;
  /** False by default. */
  readonly ended?: boolean;
  readonly snapshot: Json;
  readonly parts?: readonly Part[];
  readonly timers?: readonly Timer[];
  /** The number of open questions to people; 0 by default. */
  readonly questions?: number;
  readonly attention?: Attention;
  readonly outbox?: readonly Letter[];
  /** The revision at which the record begins; 1 by default. A copy of a record continues where the record was. */
  readonly revision?: number;
  /** Milliseconds since 1970 UTC; `createdAt` by default. */
  readonly updatedAt?: number;
}

/**
 * Everything that one step of an actor decided, stored atomically (H2). Values are stored as `JSON.stringify` writes them. The
 * cost of a commit depends on its changes: not on the parts, letters and lines that the record already has.
 */
export interface Change extends NewLines {
  readonly id: string;
  /** The revision on which the change is based. A change based on another revision is refused with `store/conflict`. */
  readonly expectedRevision: number;
  /** Milliseconds since 1970 UTC. */
  readonly updatedAt?: number;
  readonly status?: string;
  /** True ends the record. An ended record accepts commits, but never false in this field. */
  readonly ended?: boolean;
  readonly snapshot?: Json;
  /** Removes parts by their keys, ignoring missing ones, then adds or replaces parts. Other parts do not change. */
  readonly parts?: { readonly removed?: readonly string[]; readonly set?: readonly Part[] };
  /** Replaces all timers. */
  readonly timers?: readonly Timer[];
  /** Replaces the number of open questions. */
  readonly questions?: number;
  /** Replaces all of its fields. */
  readonly attention?: Attention;
  /** Ids of letters to remove from the outbox, because they were answered or are obsolete. Missing ones are ignored. */
  readonly settled?: readonly string[];
  /** Letters to append to the outbox. */
  readonly effects?: readonly Letter[];
}

/** A delivery receipt: a letter of the outbox has arrived. */
export interface Receipt extends NewLines {
  /** The id of the record. */
  readonly id: string;
  /** The id of the letter. */
  readonly letter: string;
}

/** The revision and the line counts of a record after a write. */
export interface Committed extends FeedPlace {
  readonly revision: number;
  readonly journalLength: number;
  readonly transcriptLength: number;
}
