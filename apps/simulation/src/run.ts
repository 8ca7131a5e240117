import { allFaultKinds, type BreakageName, breakages, type FaultKind } from './faults/breakages.ts';
import {
  simulate,
  type SimulationOptions,
  type SimulationReport,
  type StoreKind,
} from './simulate.ts';

export interface RunOptions extends Omit<SimulationOptions, 'seed' | 'store'> {
  /** When left out, every other seed has the store on simulated files. */
  readonly store?: StoreKind | undefined;
  /** The first seed. The others follow it. */
  readonly seed: number;
  /** The number of seeds; may be infinite. */
  readonly runs: number;
  /** No run begins after this time of `performance.now()`. */
  readonly untilMs: number;
  /** Whether each seed runs twice. Both runs must have the same hash. */
  readonly isTwice: boolean;
  /** Whether a failing run is shortened. */
  readonly shrinks: boolean;
  readonly onRun?: (report: RunReport) => void;
}

export interface RunReport {
  readonly runs: number;
  readonly lastSeed: number;
  readonly days: number;
  readonly activities: number;
  readonly calls: number;
  readonly deliveries: number;
  readonly faults: Readonly<Record<string, number>>;
  /** The hash of the last run. */
  readonly hash: string;
  /** The first run that violated an invariant. */
  readonly failure?: Failure;
}

export interface Failure {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly trace: readonly string[];
  /** The command that repeats the run. */
  readonly repeat: string;
}

/** Simulates one seed after another until an invariant is violated. */
export async function run(options: RunOptions): Promise<RunReport> {
  const { seed: first, runs, untilMs, isTwice, shrinks, onRun } = options;
  let report: RunReport = {
    runs: 0,
    lastSeed: first,
    days: 0,
    activities: 0,
    calls: 0,
    deliveries: 0,
    faults: {},
    hash: '',
  };
  for (let seed = first; seed < first + runs && now() < untilMs; seed += 1) {
    const store = options.store ?? usualStore(seed, options.breakage);
    const simulation = { ...options, seed, store };
    const one = await simulate(simulation);
    report = added(report, one);
    onRun?.(report);
    if (one.violations.length > 0) {
      const least = shrinks ? await shrunk(simulation, one) : { options: simulation, report: one };
      return { ...report, failure: failureOf(least.options, least.report) };
    }
    const second = isTwice ? await simulate(simulation) : one;
    if (second.hash !== one.hash) {
      const violations = [`determinism: two runs have the hashes ${one.hash} and ${second.hash}`];
      return { ...report, failure: failureOf(simulation, { ...second, violations }) };
    }
  }
  return report;
}

function usualStore(seed: number, breakage: BreakageName | undefined): StoreKind {
  if (breakage !== undefined) return 'files' in breakages[breakage] ? 'lowdb' : 'memory';
  return seed % 2 === 0 ? 'memory' : 'lowdb';
}

/** Shortens a run: leaves out days and kinds of faults as long as the same rule is violated. */
async function shrunk(options: SimulationOptions, report: SimulationReport) {
  let least = { options, report };
  const rule = ruleOf(report);
  const attempt = async (changes: Partial<SimulationOptions>) => {
    const smaller = { ...least.options, ...changes };
    const result = await simulate(smaller);
    if (ruleOf(result) === rule) least = { options: smaller, report: result };
  };
  for (const kind of options.kinds)
    await attempt({ kinds: least.options.kinds.filter((each) => each !== kind) });
  for (let days = 1; days < least.options.days; days += 1) await attempt({ days });
  return least;
}

function ruleOf({ violations }: SimulationReport): string | undefined {
  return violations[0]?.split(':')[0];
}

function failureOf(
  { seed, days, kinds, store, breakage }: SimulationOptions,
  { violations, trace }: SimulationReport,
): Failure {
  const isAll = kinds.length === allFaultKinds.length;
  const options = [
    `--seed ${seed} --days ${days} --store ${store}`,
    ...(isAll ? [] : [`--only ${kinds.join(',') || 'none'}`]),
    ...(breakage === undefined ? [] : [`--break ${breakage}`]),
  ];
  return { seed, violations, trace, repeat: `npm run simulate -- ${options.join(' ')}` };
}

function added(sum: RunReport, one: SimulationReport): RunReport {
  const faults: Record<string, number> = { ...sum.faults };
  for (const [kind, times] of Object.entries(one.faults) as [FaultKind, number][])
    faults[kind] = (faults[kind] ?? 0) + times;
  return {
    runs: sum.runs + 1,
    lastSeed: one.seed,
    days: sum.days + one.days,
    activities: sum.activities + one.activities,
    calls: sum.calls + one.calls,
    deliveries: sum.deliveries + one.deliveries,
    faults,
    hash: one.hash,
  };
}

function now(): number {
  return performance.now();
}
