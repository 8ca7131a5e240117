import { overriding } from '@dramaturg/testing';
import { memoryStore, type Store, StoreError, type StoreLocation } from '../../src/index.ts';

/** More than a short conversation has. The longest has a kill that never comes. */
export const halfWrites: readonly number[] = Array.from(
  { length: 41 },
  (_, index) => ((index * 7) % 41) + 1,
);

/** A store in memory whose process dies at a write. */
export function killedStore() {
  const place = memoryStore();
  let [kill, writes, isDead, isKilled] = [0, 0, false, false];
  let die = () => {};
  const death = new Promise<void>((resolve) => (die = resolve));
  const dead = () => new StoreError('store/lost', 'The process is killed.');
  const writing = (store: Store, name: 'commit' | 'acknowledge') =>
    (async (...given: never[]) => {
      if (isDead) throw dead();
      writes += 1;
      const isNow = !isKilled && writes === Math.ceil(kill / 2);
      if (isNow) {
        [isDead, isKilled] = [true, true];
        die();
      }
      if (isNow && kill % 2 === 0) throw dead();
      const stored: unknown = await (store[name] as (...all: never[]) => unknown)(...given);
      if (isNow) throw dead();
      return stored;
    }) as never;
  const location: StoreLocation = {
    read: () => place.read(),
    open: async (owner) => {
      isDead = false;
      const store = await place.open(owner);
      return overriding(store, {
        commit: writing(store, 'commit'),
        acknowledge: writing(store, 'acknowledge'),
      });
    },
  };
  return {
    ...location,
    /** @param half of the writes from now on, none for 0: 1 after the first one is stored, 2 before it, 3 after the second */
    killAt: (half: number) => {
      [kill, writes] = [half, 0];
    },
    /** Fulfils when the process dies. */
    death,
    /** The process has died, and was not started again. */
    get isDead() {
      return isDead;
    },
  };
}
