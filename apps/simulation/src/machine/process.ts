import type { Clock } from '@dramaturg/host';
import type { Chance } from '@dramaturg/testing';
import type { WallClock } from '../time/wall-clock.ts';

/**
 * A simulated process: all input of its code goes through it. States: running ⇄ frozen → ended. Input of a frozen process waits
 * until it resumes. An ended process gets no input, so its code never continues.
 */
export class SimulatedProcess {
  readonly name: string;
  /** The name of its machine. Only processes of one machine see each other. */
  readonly machine: string;
  readonly clock: Clock;
  #state: 'running' | 'frozen' | 'ended' = 'running';
  readonly #waiting: (() => void)[] = [];
  readonly #onEnd = new Set<() => void>();
  readonly #wallClock: WallClock;

  constructor(name: string, machine: string, wallClock: WallClock, chance: Chance) {
    this.name = name;
    this.machine = machine;
    this.#wallClock = wallClock;
    this.clock = {
      world: {
        now: () => wallClock.now(),
        random: () => chance.next(),
        uuid: () => uuid(chance),
      },
      timer: ({ at }, { signal }) =>
        new Promise((resolve, reject) => {
          signal.throwIfAborted();
          const stop = () => {
            cancel();
            reject(signal.reason);
          };
          const cancel = wallClock.when(at, () =>
            this.enter(() => {
              signal.removeEventListener('abort', stop);
              resolve({ firedAt: wallClock.now() });
            }),
          );
          signal.addEventListener('abort', stop, { once: true });
        }),
      stopwatch: {
        now: () => wallClock.elapsed(),
        wait: (at, signal) =>
          new Promise((resolve, reject) => {
            const cancel = wallClock.whenElapsed(at, () => this.enter(resolve));
            const stop = () => {
              cancel();
              reject(signal.reason);
            };
            signal.addEventListener('abort', stop, { once: true });
          }),
      },
    };
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /** Runs code in the process: now, when it resumes, or never. */
  enter(work: () => void): void {
    if (this.#state === 'running') work();
    else if (this.#state === 'frozen') this.#waiting.push(work);
  }

  /** Wraps an outside promise: the process sees its result only while it runs. */
  await<Value>(outside: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      outside.then(
        (value) => this.enter(() => resolve(value)),
        (error: unknown) => this.enter(() => reject(error)),
      );
    });
  }

  freeze(): void {
    if (this.#state === 'running') this.#state = 'frozen';
  }

  resume(): void {
    if (this.#state !== 'frozen') return;
    this.#state = 'running';
    for (const work of this.#waiting.splice(0)) work();
  }

  end(): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    this.#waiting.length = 0;
    this.#wallClock.stop();
    for (const listener of this.#onEnd) listener();
    this.#onEnd.clear();
  }

  /**
   * Calls a function when the process ends, or immediately if it has ended.
   *
   * @returns a function that removes the listener
   */
  onEnd(listener: () => void): () => void {
    if (this.#state === 'ended') listener();
    else this.#onEnd.add(listener);
    return () => void this.#onEnd.delete(listener);
  }
}

function uuid(chance: Chance): string {
  const digits = Array.from({ length: 32 }, () => chance.between(0, 15).toString(16)).join('');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`];
  return [...parts, `8${digits.slice(17, 20)}`, digits.slice(20)].join('-');
}
