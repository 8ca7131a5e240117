import { PeerError } from './peers.ts';

/** One measured quantity, and what it should be. */
export interface Row {
  readonly name: string;
  /** Null when it could not be measured. */
  readonly value: number | null;
  readonly unit: string;
  /** In words: `<= 5 ms`; empty when the row is for information only. */
  readonly goal: string;
  readonly holds: boolean;
  /** Why it could not be measured. */
  readonly problem?: string;
}

/** A benchmark: prepared once, then measured in rounds that take turns with those of the others. */
export interface Benchmark {
  readonly name: string;
  readonly unit: string;
  /** The most that is allowed; left out when the number is for information only. */
  readonly atMost?: number;
  /** Where a sample takes long: in how many rounds one is taken. */
  readonly rounds?: number;
  /** Prepares and returns a function that gives one sample. */
  readonly prepare: () => Promise<() => Promise<number> | number>;
}

const mostRounds = 15;

/**
 * Measures benchmarks in interleaved rounds, so that a busy moment of the machine falls on all of them, and gives the
 * median of each.
 */
export async function measure(
  benchmarks: readonly Benchmark[],
  tell: (doing: string) => void,
): Promise<Row[]> {
  const samplers: Awaited<ReturnType<typeof prepared>>[] = [];
  for (const benchmark of benchmarks) {
    tell(`preparing ${benchmark.name}`);
    samplers.push(await prepared(benchmark));
  }
  const samples: number[][] = benchmarks.map(() => []);
  const most = Math.max(...benchmarks.map(({ rounds = mostRounds }) => rounds));
  for (let round = 1; round <= most; round += 1) {
    for (const [index, sample] of samplers.entries()) {
      const { name, rounds = mostRounds } = benchmarks[index]!;
      if (typeof sample !== 'function' || round > rounds) continue;
      tell(`round ${round} of ${most}: ${name}`);
      samples[index]!.push(await sample());
    }
  }
  return benchmarks.map(({ name, unit, atMost }, index) => {
    const goal = atMost === undefined ? '' : `<= ${atMost} ${unit}`.trim();
    const sampler = samplers[index]!;
    if (typeof sampler !== 'function')
      return { name, value: null, unit, goal, holds: false, problem: sampler.message };
    const value = median(samples[index]!);
    return { name, value, unit, goal, holds: atMost === undefined || value <= atMost };
  });
}

/** What there is to compare with may be missing: that is a matter of its benchmarks, and the others go on. */
async function prepared({ prepare }: Benchmark) {
  try {
    return await prepare();
  } catch (error) {
    if (error instanceof PeerError) return error;
    throw error;
  }
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
