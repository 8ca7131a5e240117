import { onTestFinished } from 'vitest';
import type { Scheduler, System } from '../../src/store/disk/system.ts';
import type { SimulatedFiles } from '@dramaturg/testing';

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

let processes = 0;

/** A process on a simulated disk, which ends with its test. Its time jumps to the next timer when nothing else is ready. */
export class SimulatedProcess {
  readonly #random: () => number;
  readonly #timers = new Set<{ readonly at: number; readonly run: () => void }>();
  readonly files: SimulatedFiles;
  #now = 1_700_000_000_000;
  #isDead = false;
  #isTicking = false;
  readonly #pid: number;
  /** Tokens of locks differ between processes, also of two tests with the same seed. */
  readonly #name = `${(processes += 1)}`;

  constructor(files: SimulatedFiles, pid: number, random: () => number) {
    this.files = files;
    this.#pid = pid;
    this.#random = random;
    // Its timers follow one another without a pause.
    onTestFinished(() => this.kill());
  }

  get system(): System {
    const self = { pid: this.#pid, host: 'simulated', space: 'simulated', began: '1' };
    return {
      files: this.files,
      scheduler: this.#scheduler(),
      // All processes before this one are dead.
      processes: { self: () => self, isAlive: ({ pid }) => pid === this.#pid },
      randomId: () => `${String(this.#random()).slice(2)}-${this.#name}`,
    };
  }

  /** Ends the process: it does nothing more. */
  kill(): void {
    this.#isDead = true;
    this.#timers.clear();
    this.files.before = () => new Promise(() => {});
  }

  #scheduler(): Scheduler {
    return {
      now: () => this.#now,
      after: (milliseconds, run) => this.#after(milliseconds, run),
      pause: (milliseconds) =>
        new Promise((resolve) => {
          this.#after(milliseconds, resolve);
        }),
      yield: () =>
        new Promise((resolve) => {
          if (!this.#isDead) setImmediate(resolve);
        }),
    };
  }

  #after(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#now + milliseconds, run };
    if (!this.#isDead) this.#timers.add(timer);
    this.#tickLater();
    return () => void this.#timers.delete(timer);
  }

  #tickLater(): void {
    if (this.#isTicking || this.#timers.size === 0) return;
    this.#isTicking = true;
    setImmediate(() => {
      this.#isTicking = false;
      const [next] = [...this.#timers].toSorted((one, other) => one.at - other.at);
      if (next === undefined) return;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      this.#tickLater();
    });
  }
}
