import type { Scheduler } from './scheduler.ts';

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
