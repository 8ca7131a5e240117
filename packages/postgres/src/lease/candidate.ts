import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Bell } from './bell.ts';
import type { DatabaseLink, Row } from './database-link.ts';
import { leaseStateOf, type LeaseState, storeOwned } from './holder.ts';
import { type LeaseStatements, leaseStatements } from './lease-tables.ts';
import { type LeaseTimes, retryMs } from './lease-times.ts';

export interface LeaseOptions {
  readonly connection: pg.ClientConfig;
  readonly schema: string;
  /** A description of this host for people. */
  readonly owner: string;
  readonly times?: Partial<LeaseTimes>;
  /**
   * Called when the connection of the lease was lost and a new one works. Other connections may be half-open, and the server may
   * have crashed.
   */
  readonly onReconnect?: () => void;
}

export interface WaitOptions {
  /** Called when the waiting begins, and each time another host has taken the store. */
  readonly onWaiting?: (state: LeaseState) => void;
  /** Called once when the database stops answering. The waiting continues. */
  readonly onUnreachable?: (error: unknown) => void;
  readonly signal?: AbortSignal;
  /** Milliseconds that this host waits before it takes a free store, so that others can be first. Called each time. */
  readonly delayMs?: () => number;
}

/** A successful attempt to take the lease. */
export interface Won {
  readonly token: bigint;
  readonly claim: string;
  readonly link: DatabaseLink;
  readonly sentAt: Instant;
}

/** A host that wants the lease. By its claim it recognises an earlier attempt whose answer was lost. */
export class Candidate {
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
    for (;;) {
      const answer = await this.#attempt();
      if ('won' in answer) return answer.won;
      const { remainingMs, graceMs } = answer.state;
      if (remainingMs > 0) throw storeOwned(this.#options.schema, answer.state);
      await pause(Math.ceil(graceMs));
    }
  }

  async wait(options: WaitOptions, bell: Bell): Promise<Won> {
    const { onWaiting, onUnreachable, signal, delayMs } = options;
    let announced: string | undefined;
    let isUnreachable = false;
    for (;;) {
      let pauseMs = retryMs;
      try {
        const answer =
          (delayMs && (await this.#letOthersFirst(delayMs))) ?? (await this.#attempt());
        if ('won' in answer) return answer.won;
        isUnreachable = false;
        const { state } = answer;
        if (announced !== state.claim) onWaiting?.(state);
        announced = state.claim;
        const freeInMs = Math.max(state.remainingMs, state.graceMs);
        pauseMs = Math.min(Math.ceil(freeInMs), this.#times.pollMs);
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
    return { state: await this.#state() };
  }

  /** Waits before taking a free store. @returns the state of the lease when it is not free */
  async #letOthersFirst(
    delayMs: () => number,
  ): Promise<{ readonly state: LeaseState } | undefined> {
    await this.#requireTables();
    const state = await this.#state();
    if (state.remainingMs > 0) return { state };
    await pause(delayMs());
    return undefined;
  }

  async #state(): Promise<LeaseState> {
    const [row] = await this.#query(this.#statements.read, []);
    return leaseStateOf(row!);
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
    // Taking waits for writes of the last holder. The server ends them when their client is silent.
    return this.#link.query(text, values, this.#times.durationMs);
  }
}

/**
 * An instant by two clocks: time changes do not affect the monotonic clock, and the time of day continues while the machine is
 * suspended.
 */
export interface Instant {
  readonly monotonicMs: number;
  readonly timeOfDayMs: number;
}

export function instant(): Instant {
  return { monotonicMs: performance.now(), timeOfDayMs: Date.now() };
}

/** The longer of both measurements: in doubt, the lease is renewed once more. */
export function elapsedMs({ monotonicMs, timeOfDayMs }: Instant): number {
  return Math.max(performance.now() - monotonicMs, Math.abs(Date.now() - timeOfDayMs));
}
