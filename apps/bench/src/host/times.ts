/** Returns the duration of a run in milliseconds. */
export async function timed(run: () => Promise<unknown> | void): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value that this share of the values does not exceed: 0.5 gives the median. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}
