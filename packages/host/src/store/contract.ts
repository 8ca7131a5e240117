import type { Json } from '@dramaturg/compiler';

/**
 * What a host needs of storage. Each durable actor (a contact, a conversation, a run of a workflow) is one record, and
 * every write concerns one record, so that no store has to change two of them together. Actors talk through letters:
 * the outbox of one record, the mailbox of another, and an id that stays the same when a letter is carried twice.
 *
 * What every store keeps, whatever it is made of:
 *
 * - A write happens whole or not at all, with its journal and transcript lines. It has happened when its promise
 *   fulfils. When the promise rejects, nothing of it has; only after `store/failed` and `store/lost` is that unknown.
 * - Reads and lists show what has been stored, and all that was stored before they were asked.
 * - Writes to one record happen in the order in which they were called.
 * - Text is data: an id may be any text, and never becomes a path, a query or the name of a property.
 * - Times are the host's: milliseconds since 1970 UTC, which the store compares and never reads off a clock.
 *
 * Every method rejects with a `StoreError`.
 */
export interface Store {
  /**
   * Stores a new record, at revision 1.
   *
   * @throws `store/exists` when there is a record of this id, `store/bad-request`
   */
  create(record: NewRecord): Promise<Committed>;

  /**
   * Changes a record, whose revision grows by 1. What the change leaves out stays as it is.
   *
   * @throws `store/conflict` when the record is not at the expected revision, `store/unknown`, `store/bad-request`
   */
  commit(change: Change): Promise<Committed>;

  /**
   * Puts a letter at the end of a mailbox. The revision stays: a letter that arrives while a turn is being worked out
   * does not make the turn's commit late. It costs the same whatever the size of the record.
   *
   * @returns false when a letter of this id waits there; nothing is stored then, lines included. Letters that have been
   *   handled are forgotten: an actor that may be sent one again remembers their ids in its snapshot.
   * @throws `store/ended` when the record has ended (H7), `store/unknown`, `store/bad-request`
   */
  enqueue(delivery: Delivery): Promise<boolean>;

  /**
   * Takes a letter out of an outbox: it has arrived. The revision stays.
   *
   * The promise fulfils when the system has the write, also where every other write waits for the device: that follows
   * with the next flush, within 100 ms. No store can do better, because a power cut may always come between a delivery
   * and its receipt; the letter then goes out again under the same id. The death of the process loses no receipt.
   *
   * @returns false when no letter of this id is there; nothing is stored then, lines included
   * @throws `store/unknown`, `store/bad-request`
   */
  acknowledge(receipt: Receipt): Promise<boolean>;

  /**
   * @returns the record as it is stored, undefined when there is none. The value is the caller's own.
   * @throws `store/damaged` when what is stored cannot be trusted: it has been moved aside, and other records are served
   */
  read(id: string): Promise<StoreRecord | undefined>;

  /**
   * The records to which all of the filter applies, the oldest first. A record keeps its place however it changes, so
   * that pages taken one after another show each record once.
   */
  list(filter: RecordFilter, page: PageRequest): Promise<Page<RecordSummary>>;

  /**
   * The timers of all records that are due at or before a time, the earliest first (H5). Timers of one record that are
   * due together are in the order of the record's list. A timer stays until a commit leaves it out.
   *
   * @param before milliseconds since 1970 UTC; `Infinity` for all
   * @param limit the most timers to return
   */
  due(before: number, limit: number): Promise<readonly DueTimer[]>;

  /**
   * The ids of records with letters in the mailbox or the outbox, the oldest record first: what a host takes up again
   * when it starts.
   */
  pending(page: PageRequest): Promise<Page<string>>;

  /**
   * Lines of a record's journal, in the order in which they were stored.
   *
   * @throws `store/unknown`, `store/damaged`
   */
  journal(id: string, range: LineRange): Promise<readonly Json[]>;

  /** Lines of a record's transcript, as `journal`. */
  transcript(id: string, range: LineRange): Promise<readonly Json[]>;

  /** The records that were found damaged and are set aside, now or in an earlier run. */
  damaged(): Promise<readonly DamagedRecord[]>;

  /**
   * Lets writes under way finish, then gives the store up. Later calls reject with `store/closed`, but for `close`.
   * A store that is never closed loses nothing.
   */
  close(): Promise<void>;
}

/** Where records are kept. Nothing is touched before `open`. */
export interface StoreLocation {
  /**
   * Makes the caller the one owner of the place (H6), until it closes the store or its process ends.
   *
   * @param owner who that is, in words for people: they appear in the error that another one gets
   * @throws `store/owned` when there is another owner, saying which; `store/foreign` when this is not a store, or one of
   *   a later version
   */
  open(owner: string): Promise<Store>;
}

/** What does not change for the life of a record. */
export interface RecordOrigin {
  /** 1 to 1,024 UTF-16 code units, as every name here: ids, keys, kinds, statuses. */
  readonly id: string;
  /** What sort of actor it is, in the host's words. */
  readonly kind: string;
  /** The person it concerns. */
  readonly contact?: string;
  /** The record of the actor above it. */
  readonly parent?: string;
  /** What it runs. The version is pinned: a definition that changes does not change it under its feet. */
  readonly definition?: DefinitionVersion;
  readonly createdAt: number;
}

export interface DefinitionVersion {
  readonly name: string;
  readonly version: string;
}

/** All of a record that an index holds. */
export interface RecordSummary extends RecordOrigin {
  /** The state to show and to search by, in the host's words. */
  readonly status: string;
  /** No letter can be put into its mailbox any more (H7). */
  readonly ended: boolean;
  /** 1 when created, and 1 more with each commit. */
  readonly revision: number;
  readonly updatedAt: number;
  readonly timers: readonly Timer[];
  /** How many questions it asks people that nobody has answered; absent when there is none. */
  readonly questions?: number;
  /** How many lines there are. */
  readonly journalLength: number;
  readonly transcriptLength: number;
}

export interface StoreRecord extends RecordSummary {
  readonly snapshot: Json;
  /** Letters that have arrived and are not handled yet, in order of arrival (H3). */
  readonly mailbox: readonly Letter[];
  /** Letters decided and not yet acknowledged, in the order in which they were decided (H2). */
  readonly outbox: readonly Letter[];
}

/** Something one actor has to say to another, or to the outside world. */
export interface Letter {
  /** The same whenever it is carried. Unique in its mailbox or outbox. */
  readonly id: string;
  readonly body: Json;
}

export interface Timer {
  /** Unique among the timers of its record. */
  readonly key: string;
  /** When it is due, milliseconds since 1970 UTC (H5). */
  readonly at: number;
}

export interface DueTimer extends Timer {
  /** The record. */
  readonly id: string;
}

/** Lines to append. Each is one value, stored as JSON on a line of its own. */
export interface NewLines {
  readonly journal?: readonly Json[];
  readonly transcript?: readonly Json[];
}

export interface NewRecord extends RecordOrigin, NewLines {
  readonly status: string;
  readonly ended?: boolean;
  readonly snapshot: Json;
  readonly timers?: readonly Timer[];
  readonly questions?: number;
  readonly mailbox?: readonly Letter[];
  readonly outbox?: readonly Letter[];
}

/** What an actor decided, all of which is stored together (H2). Values are stored as `JSON.stringify` writes them. */
export interface Change extends NewLines {
  readonly id: string;
  /** The revision that the change was worked out from: a turn that comes too late is refused. */
  readonly expectedRevision: number;
  readonly updatedAt?: number;
  readonly status?: string;
  /** True ends the record. What has ended never begins again, but it may still be committed to. */
  readonly ended?: boolean;
  readonly snapshot?: Json;
  /** All timers from now on. */
  readonly timers?: readonly Timer[];
  /** How many questions it asks from now on; 0 is none. */
  readonly questions?: number;
  /** Ids of letters to take out of the mailbox. Each must be there. */
  readonly handled?: readonly string[];
  /** Ids of letters to take out of the outbox, because they were answered or are not wanted any more. */
  readonly settled?: readonly string[];
  /** Letters to put at the end of the outbox. */
  readonly effects?: readonly Letter[];
}

export interface Delivery extends NewLines {
  readonly id: string;
  readonly letter: Letter;
}

export interface Receipt extends NewLines {
  readonly id: string;
  /** The letter's id. */
  readonly letter: string;
}

/** What a record has come to with a write. */
export interface Committed {
  readonly revision: number;
  readonly journalLength: number;
  readonly transcriptLength: number;
}

/** Each field given has to be equal. */
export interface RecordFilter {
  readonly kind?: string;
  readonly contact?: string;
  readonly parent?: string;
  readonly status?: string;
  readonly ended?: boolean;
  /** Whether it asks people something. */
  readonly asks?: boolean;
  /** The definition's name, and its version if only one is meant. */
  readonly definition?: { readonly name: string; readonly version?: string };
}

export interface PageRequest {
  /** `next` of the page before. */
  readonly after?: string;
  /** 1 to 10,000. */
  readonly limit: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next page begins, in the store's own words; absent from the last page. */
  readonly next?: string;
}

export interface LineRange {
  /** How many lines to skip from the first; 0 is the first line. */
  readonly from: number;
  /** 1 to 10,000. */
  readonly limit: number;
}

export interface DamagedRecord {
  /** Absent when not even that can be read. */
  readonly id?: string;
  /** What is wrong with it. */
  readonly reason: string;
  /** Where it has been moved to, for a person to look at. */
  readonly where: string;
}
