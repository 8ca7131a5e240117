/*
 * Formats count the work of expressions in units, of which a thousand take about 0.2 ms. What is counted is the same on each repetition,
 * as a time would not be.
 */
let taken = 0;
let most = Infinity;

/** Counts work. @returns whether the present step may do it */
export function takeWork(units: number): boolean {
  taken += units;
  return taken <= most;
}

/** How many units were ever taken. */
export function workTaken(): number {
  return taken;
}

/** Limits the units that all expressions of a part of a step may take together. */
export function withinWork<Value>(units: number, work: () => Value): Value {
  const before = most;
  most = taken + units;
  try {
    return work();
  } finally {
    most = before;
  }
}
