import type { Activity } from '../admission/activity.ts';
import { backoff } from '../admission/backoff.ts';
import { inSlices } from '../admission/in-slices.ts';
import type { Schedule } from '../admission/schedule.ts';
import type { DueTimer, Store } from '../store/contract.ts';
import type { OnError } from './error-reporter.ts';

export interface TimekeeperOptions {
  readonly store: Store;
  readonly schedule: Schedule;
  readonly random: () => number;
  readonly activity: Activity;
  /** Fires a timer and removes it from the store. A timer that fails stays, and is retried later. */
  readonly fire: (timer: DueTimer) => Promise<void>;
  readonly onError: OnError;
}

const batchMax = 256;

/** The limit of a store for one read. */
const dueMax = 10_000;

/** The delay before the store is read again for the next timer. */
const retryDelayMs = 1_000;

interface FailedTimer {
  readonly failures: number;
  readonly retryAt: number;
}

/**
 * Fires the timers of all instances from the store (H5), in the order in which they are due. Sets one alarm for all timers, at
 * the earliest one. A backlog stays in the store: only a slice of it is in memory.
 *
 * States: waiting for `catchUp`; resting, with an alarm if there is a timer; firing (`#firing`); stopped.
 */
export class Timekeeper {
  readonly #options: TimekeeperOptions;
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  #firing: Promise<void> | undefined;
  #again = false;
  #hasBegun = false;
  #isStopped = false;
  readonly #failed = new Map<string, FailedTimer>();
  /** Full batches in a row in which every timer failed: then the store has failed, and not a timer. */
  #failedBatches = 0;
  #pausedUntil = -Infinity;

  constructor(options: TimekeeperOptions) {
    this.#options = options;
  }

  /** Sets the alarm for a new timer. Nothing fires before the first `catchUp`. */
  note(at: number): void {
    if (!this.#hasBegun || this.#isStopped) return;
    // Firing looks for the next timer at its end.
    if (this.#firing) this.#again = true;
    else if (!this.#alarm || at < this.#alarm.at) this.#set(at);
  }

  /** Fires all due timers. */
  async catchUp(): Promise<void> {
    this.#hasBegun = true;
    if (this.#isStopped) return;
    this.#again = this.#firing !== undefined;
    await (this.#firing ??= this.#options.activity.during(() => this.#fire()));
  }

  stop(): void {
    this.#isStopped = true;
    this.#alarm?.cancel();
  }

  #set(at: number): void {
    this.#alarm?.cancel();
    this.#alarm = { at, cancel: this.#options.schedule.at(at, () => void this.catchUp()) };
  }

  async #fire(): Promise<void> {
    const { store, schedule, onError } = this.#options;
    try {
      do {
        this.#again = false;
        let fired: ReadonlySet<string> | undefined = new Set<string>();
        while (fired && !this.#isStopped) {
          fired = await this.#fireSome(fired);
          if (fired) this.#again = false;
        }
      } while (this.#again && !this.#isStopped);
    } catch (error) {
      onError(error, 'looking for timers that are due');
    }
    this.#firing = undefined;
    this.#alarm = undefined;
    if (this.#isStopped) return;
    try {
      const next = await this.#next(store);
      if (next !== undefined) this.note(next);
    } catch (error) {
      onError(error, 'looking for the next timer');
      this.note(schedule.now + retryDelayMs);
    }
  }

  /**
   * @param before names of the timers of the previous batch
   * @returns the names of the timers that were fired; undefined when none is due
   */
  async #fireSome(before: ReadonlySet<string>): Promise<ReadonlySet<string> | undefined> {
    const { store, schedule, random, fire, onError } = this.#options;
    const { now } = schedule;
    const found = await store.due(now, Math.min(batchMax + this.#failed.size, dueMax));
    const due = found.filter((timer) => !this.#isDelayed(timer, now)).slice(0, batchMax);
    if (due.length === 0) return undefined;
    const fired = new Set<string>();
    await inSlices(due, async (timer) => {
      const name = nameOf(timer);
      try {
        // A fired timer is removed from the store. If it is still there, firing it again would loop.
        if (before.has(name)) throw new Error('It was fired, and is still there.');
        // The next host fires the rest.
        if (this.#isStopped) return;
        await fire(timer);
        fired.add(name);
        this.#failed.delete(name);
      } catch (error) {
        this.#delay(name, now);
        onError(error, `firing a timer of ${JSON.stringify(timer.id)}`);
      }
    });
    if (fired.size > 0 || due.length < batchMax) {
      this.#failedBatches = 0;
      return fired;
    }
    this.#failedBatches += 1;
    this.#pausedUntil = now + backoff(this.#failedBatches, random);
    return undefined;
  }

  #delay(name: string, now: number): void {
    const failures = (this.#failed.get(name)?.failures ?? 0) + 1;
    const retryAt = now + backoff(failures, this.#options.random);
    this.#failed.set(name, { failures, retryAt });
  }

  async #next(store: Store): Promise<number | undefined> {
    const limit = Math.min(1 + this.#failed.size, dueMax);
    const timers = await store.due(Infinity, limit);
    if (limit < dueMax) this.#forgetRemoved(timers);
    let next: number | undefined;
    for (const timer of timers) {
      const retryAt = this.#failed.get(nameOf(timer))?.retryAt ?? -Infinity;
      next = Math.min(next ?? Infinity, Math.max(timer.at, retryAt, this.#pausedUntil));
    }
    return next;
  }

  /** Failed timers were due, so they are the earliest ones, unless they were removed. */
  #forgetRemoved(earliest: readonly DueTimer[]): void {
    const names = new Set(earliest.map(nameOf));
    for (const name of this.#failed.keys()) if (!names.has(name)) this.#failed.delete(name);
  }

  #isDelayed(timer: DueTimer, now: number): boolean {
    return (this.#failed.get(nameOf(timer))?.retryAt ?? 0) > now;
  }
}

function nameOf({ id, key }: DueTimer): string {
  return JSON.stringify([id, key]);
}
