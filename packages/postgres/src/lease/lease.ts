import { setTimeout as pause } from 'node:timers/promises';
import { StoreError } from '@dramaturg/host';
import type { Ownership } from '@dramaturg/host/store';
import {
  Bell,
  Candidate,
  DatabaseLink,
  elapsedMs,
  instant,
  type Instant,
  type LeaseOptions,
  type WaitOptions,
  type Won,
} from './candidate.ts';
import {
  defaultTimes,
  type LeaseState,
  type LeaseStatements,
  leaseStatements,
  leaseStateOf,
  type LeaseTimes,
  releaseChannel,
  retryMs,
  storeLost,
} from './holder.ts';

/** The values that the first statement of a write transaction compares. */
export interface Fence {
  readonly text: string;
  readonly values: readonly [token: string, claim: string];
}

/**
 * The lease of one schema (H6): one host has it at a time. Owns the connection and the timer that renew it.
 *
 *     L1  Every write transaction compares the token under a lock. A host that takes the lease waits for such transactions, so
 *         after it has the lease, no earlier holder can write a row.
 *     L2  Only the clock of the database decides on expiry. The holder measures from the time when it sent its last renewal,
 *         which is before the database received it, and stops its effects `marginMs` before the lease can expire.
 *     L3  Without an answer of the database, it is unknown who has the lease. The holder then has no outside effects. It continues
 *         when a renewal succeeds, and has lost the lease when the lease names another claim.
 *
 * States: acquiring → held (certain or uncertain) → released or lost. A lost lease is never acquired again.
 */
export class Lease implements Ownership {
  readonly token: bigint;
  /** The first statement of every write transaction. No row: call `lose`. */
  readonly fence: Fence;
  readonly #claim: string;
  readonly #schema: string;
  readonly #link: DatabaseLink;
  readonly #statements: LeaseStatements;
  readonly #times: LeaseTimes;
  readonly #lost = new AbortController();
  readonly #onReconnect: () => void;
  /** When the last successful renewal was sent, by both clocks of this process. */
  #renewed: Instant;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #isReleased = false;
  /** The number of connections of the link when it last worked. */
  #connections: number;

  private constructor(won: Won, options: LeaseOptions, times: LeaseTimes) {
    const { schema, onReconnect = () => {} } = options;
    this.token = won.token;
    this.#onReconnect = onReconnect;
    this.#claim = won.claim;
    this.#schema = schema;
    this.#link = won.link;
    this.#connections = won.link.connections;
    this.#statements = leaseStatements(schema);
    this.#times = times;
    this.#renewed = won.sentAt;
    this.fence = { text: this.#statements.fence, values: [String(won.token), won.claim] };
    this.#schedule();
  }

  /**
   * Takes the lease.
   *
   * @param wait waits until the lease is free or expired; without it, a lease in use is refused
   * @throws StoreError `store/owned` with a message that names the holder; `store/failed` when the database cannot be used; the
   *   reason of the signal
   */
  static async acquire(options: LeaseOptions, wait?: WaitOptions): Promise<Lease> {
    const times = { ...defaultTimes, ...options.times };
    const bell = new Bell();
    const onRelease = (schema: string | undefined) => {
      if (schema === options.schema) bell.ring();
    };
    const link = new DatabaseLink({
      connection: options.connection,
      ...(wait ? { prepare: `LISTEN ${releaseChannel}`, onNotification: onRelease } : {}),
    });
    const stop = () => {
      link.close();
      bell.ring();
    };
    wait?.signal?.addEventListener('abort', stop);
    try {
      wait?.signal?.throwIfAborted();
      const candidate = new Candidate(link, options, times);
      const won = wait ? await candidate.wait(wait, bell) : await candidate.take();
      return new Lease(won, options, times);
    } catch (error) {
      link.close();
      wait?.signal?.throwIfAborted();
      throw databaseFailure(`Taking the lease of the schema "${options.schema}"`, error);
    } finally {
      wait?.signal?.removeEventListener('abort', stop);
    }
  }

  /** Aborts, with a StoreError `store/lost` as its reason, when another host has the lease. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Whether no other host can have the lease at this instant. Reads only clocks. */
  isCertain(): boolean {
    const { durationMs, marginMs } = this.#times;
    return !this.#isOver && elapsedMs(this.#renewed) < durationMs - marginMs;
  }

  /**
   * Fulfils when no other host can have the lease. Waits while the database does not answer.
   *
   * @throws StoreError `store/lost`, `store/closed`
   */
  async confirm(): Promise<void> {
    while (!this.isCertain()) {
      this.#lost.signal.throwIfAborted();
      if (this.#isReleased) throw new StoreError('store/closed', 'The store has been closed.');
      await this.#renew();
      if (!this.isCertain() && !this.#isOver) await pause(retryMs);
    }
  }

  /** Marks the lease as lost: the fence has refused a write. @returns the error for the writer, `store/lost` */
  async lose(): Promise<StoreError> {
    if (!this.#lost.signal.aborted) {
      const state = await this.#read().catch(() => undefined);
      this.#end(storeLost(this, state));
    }
    return this.#lost.signal.reason as StoreError;
  }

  /** Releases the lease, so that another host takes it immediately. Waits for a slow answer until the lease has expired anyway. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    if (!this.#lost.signal.aborted) {
      const { durationMs } = this.#times;
      const values = [this.#claim, this.#schema];
      // A lease that cannot be released expires by itself.
      await this.#link.query(this.#statements.release, values, durationMs).catch(() => {});
    }
    this.#link.close();
  }

  get #isOver(): boolean {
    return this.#isReleased || this.#lost.signal.aborted;
  }

  #schedule(): void {
    if (this.#isOver) return;
    const waitMs = this.isCertain() ? this.#times.renewalMs : retryMs;
    this.#timer = setTimeout(() => void this.#renew().then(() => this.#schedule()), waitMs);
  }

  /** Renews the lease; never rejects. Concurrent calls share one renewal. */
  #renew(): Promise<void> {
    this.#renewing ??= this.#renewNow().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewNow(): Promise<void> {
    const { answerMs, durationMs } = this.#times;
    const attemptsMax = 2;
    for (let attempt = 1; attempt <= attemptsMax && !this.#isOver; attempt += 1) {
      const sentAt = instant();
      try {
        const values = [this.#claim, durationMs];
        const rows = await this.#link.query(this.#statements.renew, values, answerMs);
        if (rows.length > 0) {
          this.#renewed = sentAt;
          const { connections } = this.#link;
          if (connections > this.#connections) this.#onReconnect();
          this.#connections = connections;
        } else if (!this.#isReleased) await this.lose();
        return;
      } catch {
        // The next attempt opens a new connection. Until one succeeds, the lease is uncertain (L3).
      }
    }
  }

  async #read(): Promise<LeaseState | undefined> {
    const rows = await this.#link.query(this.#statements.read, [], this.#times.answerMs);
    return rows[0] && leaseStateOf(rows[0]);
  }

  #end(error: StoreError): void {
    clearTimeout(this.#timer);
    this.#lost.abort(error);
    this.#link.close();
  }
}

function databaseFailure(doing: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message || String(error) : String(error);
  return new StoreError('store/failed', `${doing} failed: ${reason}`, { cause: error });
}
