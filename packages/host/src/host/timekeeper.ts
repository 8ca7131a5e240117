import type { Clock } from '../clock/clock.ts';
import type { DueTimer, Store } from '../store/contract.ts';

export interface TimekeeperOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Fires one, and takes it off the store. A timer that fails stays, and is tried again later. */
  readonly fire: (timer: DueTimer) => Promise<void>;
  readonly onError: (error: unknown, doing: string) => void;
}

const mostAtOnce = 256;

/** Milliseconds until what could not be fired is tried again. */
const pauseAfterTrouble = 1_000;

/**
 * Fires the timers of all instances, whether they are awake or not, from the store (H5): those that are due first, in due
 * order. There is one alarm for all of them, set to the earliest.
 */
export class Timekeeper {
  readonly #options: TimekeeperOptions;
  #alarm: { readonly at: number; readonly controller: AbortController } | undefined;
  #firing: Promise<void> | undefined;
  #again = false;
  #hasBegun = false;
  #isStopped = false;
  /** Timers that could not be fired, and when to try again. */
  readonly #troubled = new Map<string, number>();

  constructor(options: TimekeeperOptions) {
    this.#options = options;
  }

  /** There is a timer that is due at a time. Nothing fires before everything that is due has been caught up with once. */
  note(at: number): void {
    if (!this.#hasBegun) return;
    if (this.#isStopped || this.#firing || (this.#alarm && this.#alarm.at <= at)) {
      // A round of firing looks for the next one at its end.
      this.#again ||= this.#firing !== undefined;
      return;
    }
    this.#set(at);
  }

  /** Fires everything that is due. Resolves once it has been fired. */
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
      // Another alarm has been set, or the host stops.
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
      this.note(clock.world.now() + pauseAfterTrouble);
    }
  }

  /**
   * @param fired names of those that have fired in this round
   * @returns whether there may be more
   */
  async #fireSome(fired: Set<string>): Promise<boolean> {
    const { store, clock, fire, onError } = this.#options;
    const now = clock.world.now();
    const limit = mostAtOnce + this.#troubled.size;
    const due = (await store.due(now, limit)).filter((timer) => !this.#isTroubled(timer, now));
    await Promise.all(
      due.map(async (timer) => {
        try {
          // What has fired is not in the store any more. One that is there again fires for nobody.
          if (fired.has(nameOf(timer))) throw new Error('It was fired, and is still there.');
          await fire(timer);
          fired.add(nameOf(timer));
          this.#troubled.delete(nameOf(timer));
        } catch (error) {
          this.#troubled.set(nameOf(timer), now + pauseAfterTrouble);
          onError(error, `firing a timer of ${JSON.stringify(timer.id)}`);
        }
      }),
    );
    return due.length > 0;
  }

  async #next(store: Store): Promise<number | undefined> {
    const timers = await store.due(Infinity, 1 + this.#troubled.size);
    const times = timers.map((timer) => Math.max(timer.at, this.#troubled.get(nameOf(timer)) ?? 0));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #isTroubled(timer: DueTimer, now: number): boolean {
    return (this.#troubled.get(nameOf(timer)) ?? 0) > now;
  }
}

function nameOf({ id, key }: DueTimer): string {
  return JSON.stringify([id, key]);
}
