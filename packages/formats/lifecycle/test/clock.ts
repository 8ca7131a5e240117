import { setImmediate } from 'node:timers/promises';
import type { Port } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';

/** Monday, 9:00 UTC, in milliseconds since 1970. */
const monday = Date.UTC(2026, 0, 5, 9);

export const minutes = (count: number) => count * 60_000;
export const hours = (count: number) => minutes(count * 60);

/** A clock that only a test moves. Timers fire in the order in which they are due. */
export class Clock {
  now = monday;
  readonly #timers = new Set<{ readonly at: number; readonly fire: () => void }>();

  readonly world: World = {
    now: () => this.now,
    random: () => 0.5,
    uuid: () => '00000000-0000-4000-8000-000000000000',
  };

  readonly timer: Port<'timer'> = ({ at }, { signal }) =>
    new Promise((resolve, reject) => {
      const entry = {
        at,
        fire: () => {
          this.#timers.delete(entry);
          resolve({ firedAt: this.now });
        },
      };
      this.#timers.add(entry);
      signal.addEventListener('abort', () => {
        this.#timers.delete(entry);
        reject(signal.reason);
      });
    });

  /** When the timers are due, in minutes from now. */
  get due(): number[] {
    return Array.from(this.#timers, ({ at }) => (at - this.now) / minutes(1)).toSorted(
      (a, b) => a - b,
    );
  }

  /** Lets time pass. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.now + milliseconds;
    await settled();
    for (;;) {
      const [next] = [...this.#timers].toSorted((a, b) => a.at - b.at);
      if (!next || next.at > until) break;
      this.now = Math.max(this.now, next.at);
      next.fire();
      await settled();
    }
    this.now = until;
  }

  /** Lets time pass without firing timers. */
  passUnnoticed(milliseconds: number): void {
    this.now += milliseconds;
  }
}

/** Resolves once nothing more happens without input from outside. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await setImmediate();
}
