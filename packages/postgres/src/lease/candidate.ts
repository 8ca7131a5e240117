import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  type LeaseState,
  type LeaseStatements,
  leaseStatements,
  leaseStateOf,
  type LeaseTimes,
  retryMs,
  storeOwned,
} from './holder.ts';

interface DatabaseLinkOptions {
  readonly connection: pg.ClientConfig;
  /** Called with the payload of each notification of the channels that `prepare` listens to. */
  readonly onNotification?: (payload: string | undefined) => void;
  /** Statements to run on each new connection. */
  readonly prepare?: string;
}

interface Opened {
  readonly client: pg.Client;
  readonly socket: Socket;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * One connection that never hangs: a query without an answer in time closes it, because a half-open connection gives no other
 * sign. The next query connects again. Queries run one at a time.
 *
 * States: idle (no connection) → connected → idle, or closed.
 */
export class DatabaseLink {
  readonly #options: DatabaseLinkOptions;
  #open: Opened | undefined;
  #isClosed = false;
  #connections = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: DatabaseLinkOptions) {
    this.#options = options;
  }

  /** The number of connections opened so far. */
  get connections(): number {
    return this.#connections;
  }

  /**
   * Runs a statement, and connects first if necessary.
   *
   * @param withinMs milliseconds for connecting and the statement
   * @throws Error of the driver or the system. Unless the server refused the statement, its outcome is unknown
   */
  query(text: string, values: readonly unknown[], withinMs: number): Promise<readonly Row[]> {
    const run = () => this.#inTime(() => this.#run(text, values), withinMs);
    const result = this.#last.then(run, run);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Ends the connection immediately. A running query fails. */
  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  async #run(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    const { client } = this.#open ?? (await this.#connect());
    const { rows } = await client.query<Row>(text, [...values]);
    return rows;
  }

  async #connect(): Promise<Opened> {
    if (this.#isClosed) throw new Error('The connection is closed.');
    const { connection, onNotification, prepare } = this.#options;
    const socket = new Socket();
    const client = new pg.Client({ ...connection, keepAlive: true, stream: () => socket });
    const opened = { client, socket };
    // A running query fails with the same error.
    client.on('error', () => this.#drop(opened));
    client.on('end', () => this.#drop(opened));
    if (onNotification) client.on('notification', ({ payload }) => onNotification(payload));
    this.#open = opened;
    try {
      await client.connect();
      if (prepare !== undefined) await client.query(prepare);
      this.#connections += 1;
      return opened;
    } catch (error) {
      this.#drop(opened);
      throw error;
    }
  }

  async #inTime<Value>(work: () => Promise<Value>, withinMs: number): Promise<Value> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#drop();
        reject(new Error(`The database does not answer within ${withinMs} ms.`));
      }, withinMs);
    });
    try {
      return await Promise.race([work(), late]);
    } catch (error) {
      // The server has answered with an error: the connection is sound.
      if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL') this.#drop();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #drop(dropped = this.#open): void {
    dropped?.socket.destroy();
    if (this.#open === dropped) this.#open = undefined;
  }
}

/** Wakes a host that waits. */
export class Bell {
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
