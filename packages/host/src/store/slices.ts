/** The part of a `Scheduler` that slices need. */
interface Turns {
  yield(): Promise<void>;
}

/** The number of items that are handled before other work gets its turn: a few milliseconds, if an item takes microseconds. */
export const sliceLength = 1_000;

/** Handles items one after another. Other work gets its turn after each slice. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  scheduler: Turns,
  handle: (item: Item) => void,
): Promise<void> {
  let count = 0;
  for (const item of items) {
    handle(item);
    count += 1;
    if (count % sliceLength === 0) await scheduler.yield();
  }
}

/** Sorts items by merging. Other work gets its turn after each slice. */
export async function sortedInSlices<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
  scheduler: Turns,
): Promise<readonly Item[]> {
  let runs: (readonly Item[])[] = [];
  for (let from = 0; from < items.length; from += sliceLength) {
    runs.push(items.slice(from, from + sliceLength).toSorted(compare));
    await scheduler.yield();
  }
  while (runs.length > 1) {
    const longer: (readonly Item[])[] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const merged: Item[] = [];
      await inSlices(mergedItems(runs[at]!, runs[at + 1] ?? [], compare), scheduler, (item) => {
        merged.push(item);
      });
      longer.push(merged);
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

function* mergedItems<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Generator<Item> {
  let [index, otherIndex] = [0, 0];
  while (index < one.length && otherIndex < other.length) {
    if (compare(one[index]!, other[otherIndex]!) <= 0) yield one[index++]!;
    else yield other[otherIndex++]!;
  }
  for (; index < one.length; index += 1) yield one[index]!;
  for (; otherIndex < other.length; otherIndex += 1) yield other[otherIndex]!;
}

/** Notes that some bytes were handled. */
export type Pace = (bytes: number) => Promise<void>;

/** Gives other work a turn after every 256 KiB, which take about a millisecond. */
export function pacer(scheduler: Turns): Pace {
  let handled = 0;
  return async (bytes) => {
    handled += bytes;
    if (handled < bytesPerSlice) return;
    handled = 0;
    await scheduler.yield();
  };
}

const bytesPerSlice = 1 << 18;

/** Runs a job for each item, several at the same time. After a failure, no further job begins. */
export async function concurrently<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let failure: { readonly cause: unknown } | undefined;
  const runInTurn = async () => {
    for (const item of rest) {
      if (failure !== undefined) return;
      try {
        await run(item);
      } catch (cause) {
        failure ??= { cause };
      }
    }
  };
  await Promise.all(Array.from({ length: concurrencyMax }, runInTurn));
  if (failure !== undefined) throw failure.cause;
}

const concurrencyMax = 16;
