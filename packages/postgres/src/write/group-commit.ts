import { randomUUID } from 'node:crypto';
import { StoreError } from '@dramaturg/host';
import { RecordDamageError } from '@dramaturg/host/store';
import {
  type Database,
  isConnectionLoss,
  sqlStateOf,
  untilConnected,
} from '../connection/database.ts';
import type { Lease } from '../lease/lease.ts';
import { changedBehind, fencedOff, outOfTurn } from '../schema/store-group.ts';
import { checkKnown, Group, KnownRecords, loadKnown } from './group.ts';
import { groupValues, storeGroupStatement, storeUnflushedStatement } from './group-values.ts';

export interface GroupCommitOptions {
  readonly lease: Lease;
  /** The table, for messages about damaged records. */
  readonly where: string;
}

interface Call {
  readonly id: string;
  readonly isReceipt: boolean;
  /** Adds the write to a group. Throws a `StoreError` if the write is refused. */
  readonly apply: (group: Group) => unknown;
  readonly resolve: (stored: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The maximum number of writes in one transaction, so that the first does not wait for long. */
const groupSizeMax = 512;

/** The maximum number of receipts that may wait for a flush of the server. */
const unflushedMax = 1_024;

/** Another program that changes records all the time cannot delay a group forever. */
const attemptsMax = 5;

/**
 * Group commit: while one group of writes is stored, the next one collects. A group is one transaction and one flush of the
 * server. Owns the queue of waiting writes, the known records, and the numbers for new records.
 *
 * A group whose connection was lost is sent again until `retryMs` has passed. Its id prevents storing it twice.
 *
 * A group of receipts does not wait for a flush: see `Store.acknowledge`. If the server crashes, it can lose the receipts, so
 * they are kept until a later group is flushed, and then stored again if needed.
 *
 * States: idle → scheduled → storing a group → storing the next, or idle.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #options: GroupCommitOptions;
  readonly #known = new KnownRecords();
  /** Stored receipts that a crash of the server can lose. */
  readonly #unflushed: Call[] = [];
  #waiting: Call[] = [];
  #running: Promise<void> | undefined;
  /** The id of the last stored group; undefined if unknown. */
  #latest: string | undefined;
  #lastNumber = 0;
  #lastPosition = 0;

  constructor(database: Database, options: GroupCommitOptions) {
    this.#database = database;
    this.#options = options;
  }

  /**
   * Stores a write with the next group.
   *
   * @param id of the record
   * @param apply adds it to a group and returns its result, or throws a `StoreError` if it is refused
   * @param isReceipt whether it may be stored without a flush
   */
  run<Result>(
    id: string,
    apply: (group: Group) => Result,
    isReceipt: boolean = false,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      const call = { id, isReceipt, apply, reject, resolve: resolve as Call['resolve'] };
      this.#waiting.push(call);
      this.#running ??= this.#runAll();
    });
  }

  /** Stores again the receipts that a crash of the server may have lost, without waiting for the next write. */
  restoreReceipts(): void {
    const [first] = this.#unflushed;
    if (first === undefined) return;
    this.#latest = undefined;
    // If this fails, the next write stores them.
    this.run(first.id, () => {}).catch(() => {});
  }

  /** Fulfils when all earlier writes are answered. */
  async finish(): Promise<void> {
    await this.#running;
  }

  async #runAll(): Promise<void> {
    // Writes in the same turn of the event loop belong to one group.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.splice(0, groupSizeMax);
      const failure = await this.#storeTogether(calls);
      if (failure === undefined) continue;
      // A write that the server refuses must not block the others.
      for (const call of calls) {
        const alone = failure.isOfOne ? await this.#storeTogether([call]) : failure;
        if (alone !== undefined) call.reject(alone.error);
      }
    }
    this.#running = undefined;
  }

  /** @returns the failure when nothing was stored or the outcome is unknown; then no call was answered */
  async #storeTogether(given: readonly Call[]): Promise<GroupFailure | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      let calls = given;
      try {
        this.#options.lease.lost.throwIfAborted();
        if (this.#latest === undefined) {
          await this.#readProgress();
          // The server may have lost receipts, so stored records may be older than the known ones. A receipt that is already
          // stored changes nothing.
          this.#known.clear();
          calls = [...this.#unflushed, ...given];
        }
        const { group, answers } = await this.#decide(calls);
        await this.#store(group, calls);
        for (const [id, record] of group.records)
          if (record.row.damage === null) this.#known.set(id, record);
        for (const id of group.touched)
          if (group.records.get(id)?.row.damage !== null) this.#known.delete(id);
        this.#known.trim();
        for (const answer of answers) answer();
        return undefined;
      } catch (error) {
        const state = sqlStateOf(error);
        this.#latest = undefined;
        const mayPass = state === outOfTurn || state === changedBehind;
        if (!mayPass || attempt === attemptsMax) return await this.#failureOf(error, given.length);
      }
    }
  }

  /** Adds the writes to a group, in the order of the calls. */
  async #decide(calls: readonly Call[]) {
    const { records, damages } = await this.#recordsOf(calls);
    const { where } = this.#options;
    const group = new Group(records, where, {
      number: () => (this.#lastNumber += 1),
      position: () => (this.#lastPosition += 1),
    });
    for (const { id, message } of damages) group.markDamaged(id, message);
    const answers = calls.map(({ apply, resolve, reject }) => {
      try {
        const result = apply(group);
        return () => resolve(result);
      } catch (error) {
        return () => reject(error);
      }
    });
    return { group, answers };
  }

  async #recordsOf(calls: readonly Call[]) {
    const ids = new Set(calls.map(({ id }) => id));
    const missing = [...ids].filter((id) => this.#known.get(id) === undefined);
    const loaded =
      missing.length === 0
        ? new Map<string, never>()
        : await this.#untilConnected(() => loadKnown(this.#database, missing));
    const records = new Map(loaded);
    for (const id of ids) {
      const known = this.#known.get(id);
      if (known !== undefined) records.set(id, known);
    }
    const damages: RecordDamageError[] = [];
    for (const record of loaded.values()) {
      if (record.row.damage !== null) continue;
      try {
        checkKnown(record);
      } catch (error) {
        if (!(error instanceof RecordDamageError)) throw error;
        damages.push(error);
      }
    }
    return { records, damages };
  }

  async #readProgress(): Promise<void> {
    // Waits for a group that is still being stored: it has a lock on the row.
    const [found] = await this.#untilConnected(() =>
      this.#database.write<{ latest_group: string; last_position: number; last_number: number }>(
        `SELECT latest_group, last_position, (SELECT coalesce(max(number), 0) FROM {schema}.records) AS last_number
         FROM {schema}.progress FOR UPDATE`,
      ),
    );
    this.#latest = found!.latest_group;
    this.#lastNumber = Math.max(this.#lastNumber, found!.last_number);
    this.#lastPosition = Math.max(this.#lastPosition, found!.last_position);
  }

  async #store(group: Group, calls: readonly Call[]): Promise<void> {
    if (group.isEmpty) return;
    const isUnflushed =
      calls.every(({ isReceipt }) => isReceipt) &&
      this.#unflushed.length + calls.length <= unflushedMax;
    await this.#send(group, isUnflushed ? storeUnflushedStatement : storeGroupStatement);
    if (isUnflushed) this.#unflushed.push(...calls);
    else this.#unflushed.length = 0;
  }

  async #send(group: Group, statement: string): Promise<void> {
    const id = randomUUID();
    const [token, claim] = this.#options.lease.fence.values;
    const lastPosition = this.#lastPosition;
    const header = { token, claim, previous: this.#latest!, id, lastPosition };
    const values = groupValues(header, group);
    await this.#untilConnected(() => this.#database.write(statement, values));
    this.#latest = id;
  }

  #untilConnected<Result>(work: () => Promise<Result>): Promise<Result> {
    const { lease } = this.#options;
    const { retryMs } = this.#database.timeouts;
    return untilConnected(work, retryMs, () => lease.lost.throwIfAborted());
  }

  async #failureOf(error: unknown, count: number): Promise<GroupFailure> {
    if (error instanceof StoreError) return { error, isOfOne: false };
    if (sqlStateOf(error) === fencedOff)
      return { error: await this.#options.lease.lose(), isOfOne: false };
    const failure = this.#database.failure('Writing to the store', error);
    const isOfOne = count > 1 && !isConnectionLoss(error) && failure.code === 'store/failed';
    return { error: failure, isOfOne };
  }
}

interface GroupFailure {
  readonly error: StoreError;
  /** The server refuses the group, perhaps because of one write. */
  readonly isOfOne: boolean;
}
