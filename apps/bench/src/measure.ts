import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DramaturgError, type Json } from '@dramaturg/compiler';
import { ProgressLine } from '@dramaturg/test-servers';

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

/** The values of one sample, by name. */
export type Readings = Readonly<Record<string, number>>;

export interface Sampler {
  /** @param what chooses one of several measurements, if the module has more than one */
  readonly sample: (what?: Json) => Promise<Readings>;
  /** Releases resources, such as a store that the next measurement opens. */
  readonly close?: () => Promise<void>;
}

/** The `prepare` export of a module that measures in a separate process. */
export type Prepare<Settings extends Json = never> = (
  settings: Settings,
  onProgress: (step: string) => void,
) => Promise<Sampler>;

/** A request to the process, which sends exactly one `done` or `failed` for each. */
export type Question =
  | { readonly type: 'prepare'; readonly module: string; readonly settings: Json }
  | { readonly type: 'sample'; readonly what?: Json }
  | { readonly type: 'close' };

export type Answer =
  | { readonly type: 'done'; readonly readings?: Readings }
  | { readonly type: 'failed'; readonly name: string; readonly message: string }
  /** Progress before the answer. */
  | { readonly type: 'progress'; readonly step: string };

/** A peer package cannot be installed, or a needed server is missing. */
export class PeerError extends DramaturgError<'bench/peer-missing'> {
  override readonly name = 'PeerError';

  constructor(message: string) {
    super('bench/peer-missing', message);
  }
}

/** Peers are in a separate folder, so that building and testing the project does not install them. */
const folder = join(import.meta.dirname, '../peers');

/**
 * Loads a peer package. Installs it first if the wanted version is missing.
 *
 * @throws PeerError when it cannot be installed
 */
export function peer(name: string): unknown {
  if (versionOf(name) !== wantedVersionOf(name)) install(name);
  return createRequire(join(folder, 'package.json'))(name) as unknown;
}

function install(name: string): void {
  console.error(`Installing ${name} in apps/bench/peers, to compare with.`);
  const { status } = spawnSync('npm', ['ci', '--prefix', folder], {
    cwd: folder,
    // The output of npm does not belong to the results.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  throw new PeerError(
    `${name} is needed to compare with and cannot be installed. Connect to a network and run: npm ci --prefix apps/bench/peers`,
  );
}

function versionOf(name: string): string | undefined {
  try {
    return (readJson('node_modules', name, 'package.json') as { version: string }).version;
  } catch {
    return undefined;
  }
}

function wantedVersionOf(name: string): string | undefined {
  return (readJson('package.json') as { dependencies: Record<string, string> }).dependencies[name];
}

function readJson(...path: readonly string[]): unknown {
  return JSON.parse(readFileSync(join(folder, ...path), 'utf8'));
}

/** One of several implementations of the same work. Returns the result, so that the results can be compared. */
export type Contender = () => Promise<unknown>;

interface ContestOptions {
  /** Unmeasured runs of each contender before the first sample. */
  readonly warmUp: number;
  /** Runs of each contender in a sample. */
  readonly runs: number;
}

/**
 * Samples the ratio of two run times. Both contenders do the same work the same number of times, with the same warm-up. They take
 * turns, and each is first in every other sample.
 *
 * @throws Error when the results differ
 */
export async function contest(
  ours: Contender,
  theirs: Contender,
  { warmUp, runs }: ContestOptions,
): Promise<() => Promise<number>> {
  const [one, other] = [await ours(), await theirs()];
  if (!isDeepStrictEqual(one, other)) {
    const [here, there] = [one, other].map((result) => JSON.stringify(result)?.slice(0, 500));
    throw new Error(`The contenders do not do the same work: ${here} and ${there}.`);
  }
  await timeOfEach(ours, warmUp);
  await timeOfEach(theirs, warmUp);
  let oursFirst = false;
  return async () => {
    oursFirst = !oursFirst;
    if (oursFirst) return (await timeOfEach(ours, runs)) / (await timeOfEach(theirs, runs));
    const their = await timeOfEach(theirs, runs);
    return (await timeOfEach(ours, runs)) / their;
  };
}

/** Returns the mean time of a run in milliseconds, over sequential runs. */
export async function timeOfEach(run: Contender, runs: number): Promise<number> {
  const start = performance.now();
  for (let count = 0; count < runs; count += 1) await run();
  return (performance.now() - start) / runs;
}
