import { nextTurn } from '@dramaturg/compiler/machine';

/** How many pieces of work start in one turn of the event loop. Each may load an instance, which takes about a millisecond. */
export const startsPerTurn = 8;

const runningMax = 64;

/**
 * Does work for each item, without blocking the event loop. Starts in order, a few in each turn of the loop, and runs at most 64
 * at the same time.
 *
 * @param work must not reject
 */
export async function inSlices<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  let started = 0;
  for (const item of items) {
    if (running.size >= runningMax) await Promise.race(running);
    const one = work(item).finally(() => running.delete(one));
    running.add(one);
    started += 1;
    if (started % startsPerTurn === 0) await nextTurn();
  }
  await Promise.all(running);
}
