import type { Clock } from '../clock/clock.ts';
import type { DueTimer, Store } from '../store/contract.ts';

export interface TimekeeperOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Fires a timer and removes it from the store. A timer that fails stays, and is retried later. */
  readonly fire: (timer: DueTimer) => Promise<void>;
  readonly onError: (error: unknown, doing: string) => void;
}

const batchMax = 256;

/** The delay before a failed timer is retried. */
const retryDelayMs = 1_000;

/**
 * Fires the timers of all instances from the store (H5), in the order in which they are due. Owns one alarm for all timers,
 * set to the earliest.
 *
 * States: waiting for `catchUp`; resting, with an alarm if there is a timer; firing (`#firing`); stopped.
 */
export class Timekeeper {
  readonly #options: TimekeeperOptions;
  #alarm: { readonly at: number; readonly controller: AbortController } | undefined;
  #firing: Promise<void> | undefined;
  #again = false;
  #hasBegun = false;
  #isStopped = false;
  /** Failed timers, and when to retry them. */
  readonly #failed = new Map<string, number>();

  constructor(options: TimekeeperOptions) {
    this.#options = options;
  }

  /** Sets the alarm for a new timer. Nothing fires before the first `catchUp`. */
  note(at: number): void {
    if (!this.#hasBegun) return;
    if (this.#isStopped || this.#firing || (this.#alarm && this.#alarm.at <= at)) {
      // Firing looks for the next timer at its end.
      this.#again ||= this.#firing !== undefined;
      return;
    }
    this.#set(at);
  }

  /** Fires all due timers. */
  async catchUp(): Promise<void> {
    this.#hasBegun = true;
    this.#again = this.#firing !== undefined;
    await (this.#firing ??= this.#fire());
  }

  stop(): void {
    this.#isStopped = true;
    this.#alarm?.controller.abort();
  }

  #set(at: number): void {
    this.#alarm?.controller.abort();
    const controller = new AbortController();
    this.#alarm = { at, controller };
    const { clock } = this.#options;
    const call = { signal: controller.signal, onText: () => {} };
    Promise.resolve(clock.timer({ key: 'timekeeper', at }, call)).then(
      () => void this.catchUp(),
      // Aborted: another alarm was set, or the host stops.
      () => {},
    );
  }

  async #fire(): Promise<void> {
    const { store, clock, onError } = this.#options;
    const fired = new Set<string>();
    try {
      do {
        this.#again = false;
        while (!this.#isStopped && (await this.#fireSome(fired))) this.#again = false;
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
      this.note(clock.world.now() + retryDelayMs);
    }
  }

  /**
   * @param fired names of the timers that have fired in this round
   * @returns whether there may be more due timers
   */
  async #fireSome(fired: Set<string>): Promise<boolean> {
    const { store, clock, fire, onError } = this.#options;
    const now = clock.world.now();
    const limit = batchMax + this.#failed.size;
    const due = (await store.due(now, limit)).filter((timer) => !this.#isDelayed(timer, now));
    await Promise.all(
      due.map(async (timer) => {
        try {
          // A fired timer is removed from the store. If it is still there, firing it again would loop.
          if (fired.has(nameOf(timer))) throw new Error('It was fired, and is still there.');
          await fire(timer);
          fired.add(nameOf(timer));
          this.#failed.delete(nameOf(timer));
        } catch (error) {
          this.#failed.set(nameOf(timer), now + retryDelayMs);
          onError(error, `firing a timer of ${JSON.stringify(timer.id)}`);
        }
      }),
    );
    return due.length > 0;
  }

  async #next(store: Store): Promise<number | undefined> {
    const timers = await store.due(Infinity, 1 + this.#failed.size);
    const times = timers.map((timer) => Math.max(timer.at, this.#failed.get(nameOf(timer)) ?? 0));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #isDelayed(timer: DueTimer, now: number): boolean {
    return (this.#failed.get(nameOf(timer)) ?? 0) > now;
  }
}

function nameOf({ id, key }: DueTimer): string {
  return JSON.stringify([id, key]);
}
