import type { Scheduler } from './scheduler.ts';

interface Wait {
  readonly at: number;
  readonly fire: () => void;
  cancel: () => void;
}

/** The time of day of one machine. It can be set forward and back. Timers then become due earlier or later. */
export class WallClock {
  readonly #scheduler: Scheduler;
  /** The difference from the time of the world, in milliseconds. */
  #offset = 0;
  readonly #waits = new Set<Wait>();
  /** The functions that cancel waits for elapsed time. */
  readonly #elapsing = new Set<() => void>();

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  now(): number {
    return this.#scheduler.now + this.#offset;
  }

  /** @returns a function that cancels the wait */
  when(at: number, fire: () => void): () => void {
    const wait: Wait = { at, fire, cancel: () => {} };
    this.#waits.add(wait);
    this.#schedule(wait);
    return () => {
      wait.cancel();
      this.#waits.delete(wait);
    };
  }

  /** Cancels all waits. */
  stop(): void {
    for (const { cancel } of this.#waits) cancel();
    this.#waits.clear();
    for (const cancel of this.#elapsing) cancel();
    this.#elapsing.clear();
  }

  /** The monotonic time in milliseconds, which setting the clock does not change. */
  elapsed(): number {
    return this.#scheduler.now;
  }

  /**
   * @param at a time of `elapsed`
   * @returns a function that cancels the wait
   */
  whenElapsed(at: number, fire: () => void): () => void {
    const cancel = this.#scheduler.after(at - this.#scheduler.now, () => {
      this.#elapsing.delete(cancel);
      fire();
    });
    this.#elapsing.add(cancel);
    return () => {
      cancel();
      this.#elapsing.delete(cancel);
    };
  }

  jump(milliseconds: number): void {
    this.#offset += milliseconds;
    for (const wait of this.#waits) {
      wait.cancel();
      this.#schedule(wait);
    }
  }

  /** Sets the clock to the time of the world. */
  correct(): void {
    this.jump(-this.#offset);
  }

  #schedule(wait: Wait): void {
    wait.cancel = this.#scheduler.after(wait.at - this.now(), () => {
      this.#waits.delete(wait);
      wait.fire();
    });
  }
}

/**
 * Replaces the global functions for time and random numbers by simulated ones.
 *
 * @returns a function that restores the real ones
 */
export function replaceGlobals(scheduler: Scheduler): () => void {
  let uuids = 0;
  const restorers = [
    replace(globalThis, {
      setTimeout: (run: () => void, delayMs = 0) => handleOf(scheduler.after(delayMs, run)),
      setImmediate: (run: () => void) => handleOf(scheduler.after(0, run)),
      setInterval: (run: () => void, delayMs = 0) => handleOf(repeat(scheduler, run, delayMs)),
      clearTimeout: clear,
      clearInterval: clear,
    }),
    replace(Date, { now: () => scheduler.now }),
    replace(Math, { random: () => 0.5 }),
    replace(performance, { now: () => scheduler.now }),
    // The host searches the environment for secrets at each error. A run must not depend on those of its machine.
    replace(process, { env: {} }),
    replace(crypto, {
      randomUUID: () => `00000000-0000-4000-8000-${String((uuids += 1)).padStart(12, '0')}`,
    }),
  ];
  return () => {
    for (const restore of restorers) restore();
  };
}

function replace(target: object, values: Readonly<Record<string, unknown>>): () => void {
  const names = Object.keys(values);
  const before = names.map((name) => Object.getOwnPropertyDescriptor(target, name));
  for (const [name, value] of Object.entries(values))
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  return () => {
    for (const [index, name] of names.entries()) {
      // An inherited property is inherited again.
      if (before[index]) Object.defineProperty(target, name, before[index]);
      else Reflect.deleteProperty(target, name);
    }
  };
}

function repeat(scheduler: Scheduler, run: () => void, delayMs: number): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = scheduler.after(delayMs, () => {
      next();
      run();
    });
  };
  next();
  return () => cancel();
}

/** A timer as Node returns it. */
function handleOf(cancel: () => void): object {
  const timer = { cancel, unref: () => timer, ref: () => timer, hasRef: () => false };
  return timer;
}

function clear(timer: { readonly cancel?: () => void } | undefined): void {
  timer?.cancel?.();
}
