import { setImmediate } from 'node:timers/promises';
import type { Port, World } from '@dramaturg/compiler';

/** Nine in the morning of a Monday, in milliseconds since 1970 UTC. */
const monday = Date.UTC(2026, 0, 5, 9);

export const minutes = (count: number) => count * 60_000;
export const hours = (count: number) => minutes(count * 60);

/** A clock that stands still until a test moves it. Timers fire on the way, in the order in which they are due. */
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

  /** When the timers that are set are due, in minutes from now. */
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

  /** Time passes while nobody is there to notice. */
  passUnnoticed(milliseconds: number): void {
    this.now += milliseconds;
  }
}

/** Resolves once everything that can happen without outside help has happened. */
export async function settled(): Promise<void> {
  for (let round = 0; round < 3; round += 1) await setImmediate();
}
