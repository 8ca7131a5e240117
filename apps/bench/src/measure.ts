import { ProgressLine } from '@dramaturg/test-servers';
import type { Readings } from './own-process/protocol.ts';
import { PeerError } from './peers.ts';

/** A measured quantity and its goal. */
export interface Row {
  readonly name: string;
  /** Null when it could not be measured. */
  readonly value: number | null;
  readonly unit: string;
  /** The goal as a string: `<= 5 ms`. Empty when the row is for information only. */
  readonly goal: string;
  readonly holds: boolean;
  /** The reason why it could not be measured. */
  readonly problem?: string;
}

/** A benchmark is prepared once, then measured in rounds that alternate with the other benchmarks. */
export interface Benchmark {
  readonly name: string;
  readonly unit: string;
  /** The upper limit. Omitted when the number is for information only. */
  readonly atMost?: number | undefined;
  /** The number of rounds, for a benchmark with slow samples. */
  readonly rounds?: number;
  /** A note on the measurement, for readers of the results. */
  readonly note?: string;
  /** Prepares, and returns a function that takes one sample. */
  readonly prepare: () => Promise<() => Promise<number> | number>;
}

const mostRounds = 15;

/**
 * Measures benchmarks in interleaved rounds and returns the median of each. Interleaving spreads a busy moment of the
 * machine over all of them.
 */
export async function measure(
  benchmarks: readonly Benchmark[],
  onProgress: (step: string, done?: number, all?: number) => void,
): Promise<Row[]> {
  const samplers: Awaited<ReturnType<typeof prepared>>[] = [];
  for (const benchmark of benchmarks) {
    onProgress(`preparing ${benchmark.name}`);
    samplers.push(await prepared(benchmark));
  }
  const samples: number[][] = benchmarks.map(() => []);
  const roundsOf = ({ rounds = mostRounds }: Benchmark) => rounds;
  const all = benchmarks.reduce((sum, benchmark) => sum + roundsOf(benchmark), 0);
  let done = 0;
  const most = Math.max(...benchmarks.map(roundsOf));
  for (let round = 1; round <= most; round += 1) {
    for (const [index, sample] of samplers.entries()) {
      if (round > roundsOf(benchmarks[index]!)) continue;
      const { name } = benchmarks[index]!;
      if (typeof sample === 'function') onProgress(`round ${round} of ${most}: ${name}`, done, all);
      done += 1;
      if (typeof sample !== 'function') continue;
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

/** A missing peer package fails only the benchmarks that need it. */
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

/** Returns the mean time of a call in milliseconds. */
export function timeOf(calls: number, run: () => void): number {
  const start = performance.now();
  for (let call = 0; call < calls; call += 1) run();
  return (performance.now() - start) / calls;
}

const line = new ProgressLine();

/** Shows the current step, with the remaining time if the amounts of done and of all work are known. */
export function showProgress(step: string, done?: number, all?: number): void {
  line.show(step, done, all);
}

/** Clears the line before the results are printed. */
export function clearProgress(): void {
  line.clear();
}

/** The name, the unit and the upper limit of a reading. Without a limit, the number is for information only. */
export type ReadingRow = readonly [name: string, unit: string, atMost?: number];

/**
 * Creates benchmarks that share one measurement: it is prepared once, and sampled once a round.
 *
 * @param rows the benchmarks, by the name of their reading
 * @param shared what all of them have
 */
export function readingsOf(
  prepare: () => Promise<() => Promise<Readings>>,
  rows: Readonly<Record<string, ReadingRow>>,
  shared: Pick<Benchmark, 'rounds' | 'note'> = {},
): Benchmark[] {
  let sharing: ReturnType<typeof prepare> | undefined;
  const samples: Promise<Readings>[] = [];
  return Object.entries(rows).map(([reading, [name, unit, atMost]]) => ({
    name,
    unit,
    atMost,
    ...shared,
    prepare: async () => {
      const sample = await (sharing ??= prepare());
      let round = 0;
      return async () => {
        // The first benchmark of a round takes the sample.
        const readings = (samples[round] ??= sample());
        round += 1;
        return (await readings)[reading]!;
      };
    },
  }));
}
