/**
 * Runs work for each item, some of it at the same time, and gives the results in the order of the items. A failure stops the work for later
 * items, and is thrown once the work for earlier ones has ended: of several failures, always that of the first item.
 *
 * @param concurrency how much work runs at the same time
 * @param work its signal is aborted when a failure of an earlier item makes its result useless
 */
export async function runConcurrently<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item, stop: AbortSignal) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const running = new Map<number, AbortController>();
  const failures = new Map<number, unknown>();
  let next = 0;
  const runNext = async (): Promise<void> => {
    while (next < items.length && failures.size === 0) {
      const index = next;
      next += 1;
      const stopping = new AbortController();
      running.set(index, stopping);
      try {
        results[index] = await work(items[index]!, stopping.signal);
      } catch (error) {
        failures.set(index, error);
        for (const [other, controller] of running) if (other > index) controller.abort();
      }
      running.delete(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, runNext));
  if (failures.size > 0) throw failures.get(Math.min(...failures.keys()));
  return results;
}
