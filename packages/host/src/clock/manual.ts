import { realWorld } from '@dramaturg/compiler/machine';
import type { Clock } from './clock.ts';
import { realStopwatch } from './real.ts';
import { Timers } from './timers.ts';

export interface ManualClock extends Clock {
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Sets the time, forward or back. Timers that have become due fire, in due order; none fires early. */
  readonly set: (at: number) => void;
}

/** A clock that stops until it is set, for tests with long waits and changes of the time of day. */
export function manualClock({ startAt }: { readonly startAt: number }): ManualClock {
  let time = startAt;
  const timers = new Timers();
  const fireDue = () => {
    while (timers.first && timers.first.at <= time) timers.takeFirst()!.fire();
  };
  return {
    now: () => time,
    world: { ...realWorld, now: () => time },
    patience: realStopwatch,
    timer: ({ at }, { signal }) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const stop = () => {
          remove();
          reject(signal.reason);
        };
        const remove = timers.add({
          at,
          fire: () => {
            signal.removeEventListener('abort', stop);
            resolve({ firedAt: time });
          },
        });
        signal.addEventListener('abort', stop, { once: true });
        fireDue();
      }),
    set: (at) => {
      time = at;
      fireDue();
    },
  };
}
