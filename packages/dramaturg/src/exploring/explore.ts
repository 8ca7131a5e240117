import { type Compiled, type CoverageUnit, type Diagnostic, unitKey } from '@dramaturg/compiler';
import type { HostedDefinition } from '../host.ts';
import { Coverage } from '../testing/coverage/coverage.ts';
import { runTest } from '../testing/run-test.ts';
import { usualStart } from '../testing/stage-options.ts';
import type { TestCase } from '../testing/test-file.ts';
import { explainUnits, type UnreachedUnit } from './explain-units.ts';
import { exploreDefinition } from './explorer.ts';
import { type Finding, findingsOf } from './findings.ts';
import type { Mutant, MutateOptions } from './mutating/mutate.ts';
import { seedMistakes } from './mutating/seed-mistakes.ts';
import { type ObservedWay, observeWay } from './observe-way.ts';
import type { SearchBound, SearchBounds } from './search.ts';
import { playTest } from './play-test.ts';
import { rehearsalOf } from './rehearsal.ts';
import { restingWay } from './resting-way.ts';
import { type ChosenWay, selectWays } from './select-ways.ts';
import { shortenWay } from './shorten-way.ts';
import { testNames } from './test-names.ts';

export interface ExploreOptions {
  readonly bounds: SearchBounds;
  /** Definitions that it calls as agents, by name. */
  readonly others?: Readonly<Record<string, HostedDefinition>>;
  readonly onProgress?: (steps: number, reached: number, total: number) => void;
  /** Seeds mistakes, and adds tests for those that no test finds. */
  readonly mutation?: Pick<MutateOptions, 'compile' | 'mutantsMax'>;
}

export interface Exploration {
  readonly units: ReadonlyMap<string, CoverageUnit>;
  readonly unreached: readonly UnreachedUnit[];
  readonly tests: readonly TestCase[];
  /** Moves that were tried. */
  readonly steps: number;
  /** The bound at which the search has ended; undefined when all was reached, or every move was tried from every moment that it tells apart. */
  readonly endedAt?: SearchBound;
  /** Errors of our own that the search has met, with their number. */
  readonly failures: ReadonlyMap<string, number>;
  /** Faults that show in how it runs. */
  readonly findings: readonly Finding[];
  /** The mistakes that were seeded. Tests that were added for them are among the tests. */
  readonly mutants?: readonly Mutant[];
}

/** Generates tests that reach every state, transition and condition of a definition, and explains what they do not reach. */
export async function explore(
  definition: Compiled,
  { bounds, others = {}, onProgress, mutation }: ExploreOptions,
): Promise<Exploration> {
  const begun = performance.now();
  // The tests are shortened and run in the rest of the time.
  const searchBounds = { ...bounds, seconds: bounds.seconds / 2 };
  const explored = await exploreDefinition(definition, {
    bounds: searchBounds,
    others,
    ...(onProgress ? { onProgress } : {}),
  });
  const { units, ways, inputs, observations, steps, endedAt, refusal, failures, stopsIn, replay } =
    explored;
  const rehearsal = rehearsalOf(definition, { others });
  const chosen = selectWays(ways, [...units.keys(), ...inputs]);
  const stage = { name: 'explored', definition, others, startAt: usualStart };
  const coverage = new Coverage(definition.chart!);
  const tests: TestCase[] = [];
  const names = testNames(chosen, units);
  const until = begun + bounds.seconds * 1000;
  let isOutOfTime = false;
  for (const [index, way] of chosen.entries()) {
    if (tests.length > 0 && performance.now() > until) {
      isOutOfTime = true;
      break;
    }
    const observed = await observe(way, names[index]!);
    if (!observed) continue;
    await coverage.add(observed.record);
    tests.push(observed.test);
  }
  const hit = coverage.units.filter(({ hits }) => hits > 0);
  const reached = {
    search: new Set(ways.keys()),
    tests: new Set(hit.map(unitKey)),
  };
  const diagnostics: readonly Diagnostic[] = definition.diagnostics;
  const unreached = explainUnits(units, reached, {
    diagnostics,
    isComplete: endedAt === undefined,
    isOutOfTime,
    refused: new Set([...ways].flatMap(([unit, { isRefused }]) => (isRefused ? [unit] : []))),
    refusal,
    stopsIn,
  });
  const mutated = mutation && (await seedMistakes(definition, tests, stage, mutation));
  return {
    units,
    unreached,
    tests: mutated ? [...tests, ...mutated.added] : tests,
    steps,
    ...(isOutOfTime ? { endedAt: 'seconds' as const } : endedAt ? { endedAt } : {}),
    failures,
    findings: findingsOf(observations, units),
    ...(mutated ? { mutants: mutated.mutants } : {}),
  };

  async function observe(way: ChosenWay, name: string): Promise<ObservedWay | undefined> {
    const short = await shortenWay(way, replay, begun + bounds.seconds * 700);
    for (const candidate of [short, way]) {
      const resting = await restingWay(candidate, rehearsal);
      const found = resting && (await observeWay(resting, name, stage));
      if (found && (await isRepeatable(found.test))) return found;
    }
    return undefined;
  }

  /** Whether a test passes again: random values in its data would make it fail. */
  async function isRepeatable(test: TestCase): Promise<boolean> {
    // Without a host it is faster, and random values are others. Nested definitions run on the stage only.
    if ((await playTest(rehearsal, test)) === undefined) return true;
    const { failures: unexpected } = await runTest({ test, name: test.name }, stage);
    return unexpected.length === 0;
  }
}
