import type { World } from './world.ts';

/**
 * Lets a supervisor of items go on after a pause, in which the items that it has started are answered.
 *
 * @param supervisor its actor
 */
export type Pause = (supervisor: { readonly system: object }, goOn: () => void) => void;

/** So many times a system pauses in one turn of the event loop: with 32 new items each, that takes some milliseconds. */
const pausesPerTurn = 4;

/** Pauses of actors that go on by themselves. */
export function pausesIn({ nextTurn }: World): Pause {
  const counts = new WeakMap<object, number>();
  return ({ system }, goOn) => {
    const count = (counts.get(system) ?? 0) + 1;
    counts.set(system, count);
    const isLong = nextTurn && count % pausesPerTurn === 0;
    void (isLong ? nextTurn() : firstAnswersArrived()).then(goOn);
  };
}

/** Waits as many microtasks as an immediate answer of a port needs to reach its item. */
async function firstAnswersArrived(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
}
