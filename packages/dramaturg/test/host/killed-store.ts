import { overriding } from '@dramaturg/testing';
import { memoryStore, type Store, StoreError, type StoreLocation } from '../../src/index.ts';

/** More than a short conversation has. The longest has a kill that never comes. */
export const halfWrites: readonly number[] = Array.from(
  { length: 41 },
  (_, index) => ((index * 7) % 41) + 1,
);

/** A write that was stored, to be stored again in another store. */
export type Written = (store: Store) => Promise<unknown>;

interface Killing {
  /** What is stored before the first host opens the store. */
  readonly written?: readonly Written[];
  /** Called at each half of a write: before it, and after it is stored. */
  readonly onHalf?: ((half: number, written: readonly Written[]) => void) | undefined;
}

/** A store in memory whose process dies at a write. */
export function killedStore({ written: before = [], onHalf }: Killing = {}) {
  const place = memoryStore();
  const written: Written[] = [];
  let [kill, writes, isDead, isKilled] = [0, 0, false, false];
  let die = () => {};
  const death = new Promise<void>((resolve) => (die = resolve));
  const dead = () => new StoreError('store/lost', 'The process is killed.');
  const writing = (store: Store, name: 'create' | 'commit' | 'acknowledge') =>
    (async (...given: never[]) => {
      if (isDead) throw dead();
      if (name !== 'create') writes += 1;
      const isNow = !isKilled && name !== 'create' && writes === Math.ceil(kill / 2);
      if (isNow) {
        [isDead, isKilled] = [true, true];
        die();
      }
      if (isNow && kill % 2 === 0) throw dead();
      if (name !== 'create') onHalf?.(2 * writes, written);
      const write = (to: Store): Promise<unknown> =>
        (to[name] as (...all: never[]) => Promise<unknown>)(...given);
      const stored = await write(store);
      written.push(write);
      if (name !== 'create') onHalf?.(2 * writes - 1, written);
      if (isNow) throw dead();
      return stored;
    }) as never;
  const location: StoreLocation = {
    read: () => place.read(),
    open: async (owner) => {
      isDead = false;
      const store = await place.open(owner);
      for (const write of written.length === 0 ? before : []) {
        await write(store);
        written.push(write);
      }
      return overriding(store, {
        create: writing(store, 'create'),
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
