/*
 * Formats count the work of expressions in units; a thousand take about 0.2 ms. Counts are the same on each repetition, unlike
 * times.
 */
let taken = 0;
let [most, long] = [Infinity, Infinity];

/** Counts work. @returns whether the current step may do it */
export function takeWork(units: number): boolean {
  taken += units;
  return taken <= most;
}

/** The total of all units taken. */
export function workTaken(): number {
  return taken;
}

/** Whether the current step has taken so much work that the rest of an evaluation belongs in a thread. */
export function isLong(): boolean {
  return taken > long;
}

/** Counts the work of a thread. @returns whether the current step may do it */
export function takeWorkOfThread(units: number): boolean {
  long += units;
  return takeWork(units);
}

/** Allows the current step no more work. */
export function endWork(): void {
  most = taken;
}

/**
 * Limits the units that all expressions in a part of a step may take together.
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
