/** One measured quantity, and what it should be. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** In words: `<= 5 ms`; empty when the row is for information only. */
  readonly goal: string;
  readonly holds: boolean;
}

/** A benchmark: prepared once, then measured in rounds that take turns with those of the others. */
export interface Benchmark {
  readonly name: string;
  readonly unit: string;
  /** The most that is allowed; left out when the number is for information only. */
  readonly atMost?: number;
  /** Prepares and returns a function that gives one sample. */
  readonly prepare: () => Promise<() => Promise<number> | number>;
}

const rounds = 15;

/**
 * Measures benchmarks in interleaved rounds, so that a busy moment of the machine falls on all of them, and gives the
 * median of each.
 */
export async function measure(
  benchmarks: readonly Benchmark[],
  progress: (done: number, all: number) => void,
): Promise<Row[]> {
  const samplers = [];
  for (const benchmark of benchmarks) samplers.push(await benchmark.prepare());
  const samples: number[][] = benchmarks.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, sample] of samplers.entries()) samples[index]!.push(await sample());
    progress(round + 1, rounds);
  }
  return benchmarks.map(({ name, unit, atMost }, index) => {
    const value = median(samples[index]!);
    return {
      name,
      value,
      unit,
      goal: atMost === undefined ? '' : `<= ${atMost} ${unit}`.trim(),
      holds: atMost === undefined || value <= atMost,
    };
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Milliseconds a call takes, as the mean of so many calls. */
export function timeOf(calls: number, run: () => void): number {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) run();
  return (performance.now() - start) / calls;
}
