/*
 * Formats count the work of expressions in units, of which a thousand take about 0.2 ms. What is counted is the same on each repetition,
 * as a time would not be.
 */
let taken = 0;
let [most, long] = [Infinity, Infinity];

/** Counts work. @returns whether the present step may do it */
export function takeWork(units: number): boolean {
  taken += units;
  return taken <= most;
}

/** How many units were ever taken. */
export function workTaken(): number {
  return taken;
}

/** Whether the present step has taken so much that the rest of an evaluation belongs into a thread. */
export function isLong(): boolean {
  return taken > long;
}

/** Counts work that a thread has done. @returns whether the present step may do it */
export function takeWorkOfThread(units: number): boolean {
  long += units;
  return takeWork(units);
}

/** Allows the present step no more work. */
export function endWork(): void {
  most = taken;
}

/**
 * Limits the units that all expressions of a part of a step may take together.
 *
 * @param here how many of them it should do itself
 */
export function withinWork<Value>(units: number, work: () => Value, here = Infinity): Value {
  const before = [most, long] as const;
  [most, long] = [taken + units, taken + here];
  try {
    return work();
  } finally {
    [most, long] = before;
  }
}
