import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreError } from '@dramaturg/host';
import type pg from 'pg';
import { DatabaseLink, type Row } from './database-link.ts';
import { leaseStateOf, type LeaseState, storeLost, storeOwned } from './holder.ts';
import { type LeaseStatements, leaseStatements, releaseChannel } from './lease-tables.ts';
import { defaultTimes, type LeaseTimes } from './lease-times.ts';

export interface LeaseOptions {
  readonly connection: pg.ClientConfig;
  readonly schema: string;
  /** A description of this host for people. */
  readonly owner: string;
  readonly times?: Partial<LeaseTimes>;
}

export interface WaitOptions {
  /** Called when the waiting begins, and each time another host has taken the store. */
  readonly onWaiting?: (state: LeaseState) => void;
  /** Called when the database does not answer, once until it answers again. The waiting goes on. */
  readonly onUnreachable?: (error: unknown) => void;
  readonly signal?: AbortSignal;
}

/** What the first statement of a write transaction compares. */
export interface Fence {
  readonly text: string;
  readonly values: readonly [token: string, claim: string];
}

/**
 * The lease of one schema (H6): one host has it at a time. Owns the connection and the timer that renew it.
 *
 *     L1  Every write transaction compares the token under a lock. A host that takes the lease waits for such transactions, so
 *         after it has the lease, no earlier holder can write a row.
 *     L2  Only the clock of the database decides on expiry. The holder measures from when it sent its last renewal, which is
 *         earlier than the database's time of it, and stops its effects `marginMs` before the lease can expire.
 *     L3  Without an answer of the database, nobody can know who has the lease. The holder then does nothing outward. It goes on when a
 *         renewal succeeds, and is lost when the lease names another claim.
 *
 * States: acquiring → held (certain or uncertain) → released or lost. A lost lease is never acquired again.
 */
export class Lease {
  readonly token: bigint;
  /** The first statement of every write transaction. No row: call `lose`. */
  readonly fence: Fence;
  readonly #claim: string;
  readonly #schema: string;
  readonly #link: DatabaseLink;
  readonly #statements: LeaseStatements;
  readonly #times: LeaseTimes;
  readonly #lost = new AbortController();
  /** When the last successful renewal was sent, by both clocks of this process. */
  #renewed: Instant;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> | undefined;
  #isReleased = false;

  private constructor(won: Won, { schema }: LeaseOptions, times: LeaseTimes) {
    this.token = won.token;
    this.#claim = won.claim;
    this.#schema = schema;
    this.#link = won.link;
    this.#statements = leaseStatements(schema);
    this.#times = times;
    this.#renewed = won.sentAt;
    this.fence = { text: this.#statements.fence, values: [String(won.token), won.claim] };
    this.#schedule();
  }

  /**
   * Takes the lease.
   *
   * @param wait waits until the lease is free or expired; without it, the call is refused
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
   * Fulfils when no other host can have the lease. It waits while the database does not answer.
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

  /** Tells the lease that the fence has refused a write. @returns the error for its caller, `store/lost` */
  async lose(): Promise<StoreError> {
    if (!this.#lost.signal.aborted) {
      const state = await this.#read().catch(() => undefined);
      this.#end(storeLost(this, state));
    }
    return this.#lost.signal.reason as StoreError;
  }

  /** Gives the lease back, so that a host that waits takes it at once. Without an answer in time, the lease expires. */
  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    if (!this.#lost.signal.aborted) {
      const { answerMs } = this.#times;
      const values = [this.#claim, this.#schema];
      // A lease that cannot be released expires by itself.
      await this.#link.query(this.#statements.release, values, answerMs).catch(() => {});
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
        if (rows.length > 0) this.#renewed = sentAt;
        else if (!this.#isReleased) await this.lose();
        return;
      } catch {
        // The next attempt has a new connection. Until one succeeds, the lease is uncertain (L3).
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

interface Won {
  readonly token: bigint;
  readonly claim: string;
  readonly link: DatabaseLink;
  readonly sentAt: Instant;
}

/** A host that wants the lease. Its claim makes an attempt whose answer is lost recognisable. */
class Candidate {
  readonly #claim = randomUUID();
  readonly #link: DatabaseLink;
  readonly #options: LeaseOptions;
  readonly #times: LeaseTimes;
  readonly #statements: LeaseStatements;
  #hasTables = false;

  constructor(link: DatabaseLink, options: LeaseOptions, times: LeaseTimes) {
    this.#link = link;
    this.#options = options;
    this.#times = times;
    this.#statements = leaseStatements(options.schema);
  }

  /** @throws StoreError `store/owned` */
  async take(): Promise<Won> {
    const answer = await this.#attempt();
    if ('won' in answer) return answer.won;
    throw storeOwned(this.#options.schema, answer.state);
  }

  async wait({ onWaiting, onUnreachable, signal }: WaitOptions, bell: Bell): Promise<Won> {
    let announced: string | undefined;
    let isUnreachable = false;
    for (;;) {
      let pauseMs = retryMs;
      try {
        const answer = await this.#attempt();
        if ('won' in answer) return answer.won;
        isUnreachable = false;
        const { state } = answer;
        if (announced !== state.claim) onWaiting?.(state);
        announced = state.claim;
        pauseMs = Math.min(Math.ceil(state.remainingMs), this.#times.pollMs);
      } catch (error) {
        signal?.throwIfAborted();
        if (!isUnreachable) onUnreachable?.(error);
        isUnreachable = true;
      }
      await bell.wait(pauseMs);
      signal?.throwIfAborted();
    }
  }

  async #attempt(): Promise<{ readonly won: Won } | { readonly state: LeaseState }> {
    await this.#requireTables();
    const { connection: _, schema: __, owner } = this.#options;
    const { durationMs } = this.#times;
    const sentAt = instant();
    const taken = await this.#query(this.#statements.take, [
      this.#claim,
      owner,
      hostname(),
      process.pid,
      durationMs,
    ]);
    if (taken[0]) return { won: this.#won(taken[0], sentAt) };
    const renewedAt = instant();
    const own = await this.#query(this.#statements.renew, [this.#claim, durationMs]);
    // The answer to an earlier attempt was lost.
    if (own[0]) return { won: this.#won(own[0], renewedAt) };
    const [row] = await this.#query(this.#statements.read, []);
    return { state: leaseStateOf(row!) };
  }

  /** A role that may not create schemas can use one that exists. */
  async #requireTables(): Promise<void> {
    if (this.#hasTables) return;
    const [row] = await this.#query(this.#statements.exists, []);
    if (row?.['exists'] !== true) await this.#query(this.#statements.create, []);
    this.#hasTables = true;
  }

  #won({ token }: Row, sentAt: Instant): Won {
    return { token: BigInt(token as string), claim: this.#claim, link: this.#link, sentAt };
  }

  #query(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    // Taking waits for writes of the last holder, which the server ends when their client is silent.
    return this.#link.query(text, values, this.#times.durationMs);
  }
}

/** Wakes a host that waits. */
class Bell {
  #wake: () => void = () => {};
  #hasRung = false;

  ring(): void {
    this.#hasRung = true;
    this.#wake();
  }

  /** Returns early when the bell rings, or has rung since the last wait. */
  async wait(ms: number): Promise<void> {
    if (this.#hasRung) ms = 0;
    this.#hasRung = false;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
    });
    clearTimeout(timer);
  }
}

/** An instant by the monotonic clock, which time changes do not affect, and by the time of day, which goes on during a suspension. */
interface Instant {
  readonly monotonicMs: number;
  readonly timeOfDayMs: number;
}

function instant(): Instant {
  return { monotonicMs: performance.now(), timeOfDayMs: Date.now() };
}

/** The longer of both measurements: a doubt costs one renewal. */
function elapsedMs({ monotonicMs, timeOfDayMs }: Instant): number {
  return Math.max(performance.now() - monotonicMs, Math.abs(Date.now() - timeOfDayMs));
}

function databaseFailure(doing: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message || String(error) : String(error);
  return new StoreError('store/failed', `${doing} failed: ${reason}`, { cause: error });
}

const retryMs = 200;
