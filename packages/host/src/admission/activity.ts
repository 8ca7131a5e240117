import { nextTurn } from '@dramaturg/compiler/machine';
import type { Schedule } from './schedule.ts';

/** Counts the work of a host that is in progress or waits for a slot, so that `settle` knows when there is none. */
export class Activity {
  #count = 0;
  readonly #listeners = new Set<() => void>();

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#listeners.size > 0) void this.#notify();
  }

  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    this.begin();
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  /**
   * Waits until there is no work.
   *
   * @param within milliseconds
   * @returns false when the time is up before that
   */
  async settled(within: number, schedule: Schedule): Promise<boolean> {
    if (await this.#isIdle()) return true;
    if (within <= 0) return false;
    return new Promise((resolve) => {
      const end = (isIdle: boolean) => {
        cancel();
        this.#listeners.delete(onIdle);
        resolve(isIdle);
      };
      const onIdle = () => end(true);
      const cancel = schedule.afterWaiting(within, () => end(false));
      this.#listeners.add(onIdle);
      void this.#notify();
    });
  }

  /** Between two promises one piece of work may start another, so the count has to be 0 for a turn of the event loop. */
  async #isIdle(): Promise<boolean> {
    if (this.#count > 0) return false;
    await nextTurn();
    return this.#count === 0;
  }

  async #notify(): Promise<void> {
    if (await this.#isIdle()) for (const listener of this.#listeners) listener();
  }
}
