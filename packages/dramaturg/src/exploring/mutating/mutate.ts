import type { Compiled, Json, Path } from '@dramaturg/compiler';
import { checks } from '../../testing/expectations.ts';
import { fieldsIn } from '../../testing/read-test-file.ts';
import { usualStart } from '../../testing/stage-options.ts';
import type { Happened } from '../../testing/stage.ts';
import { expectations, type TestCase } from '../../testing/test-file.ts';
import { type Behaviours, Comparison, happenedAt, wayToMove } from './comparison.ts';
import type { Moment } from '../moment.ts';
import { type Rehearsal, rehearsalOf, type RehearsalOptions } from '../rehearsal.ts';
import type { Way } from '../player.ts';
import { type Change, changesOf, withChange } from './changes.ts';

/** A definition with a mistake, and its fate. */
export interface Mutant extends Change {
  /**
   * `refused`: check reports an error. `found`: a test fails. `added`: a test that was added for it fails. `equivalent`: its chart
   * is the same, or its place was reached and it behaves the same in every move from every distinct moment. `unknown`: it behaves the
   * same in the moves that were tried, and there are more, or its place was never reached. `missed`: it behaves differently, and no test fails.
   */
  readonly fate: 'refused' | 'found' | 'added' | 'equivalent' | 'unknown' | 'missed';
  /** The name of the test that fails. */
  readonly test?: string;
  /** It is `unknown` because its place was never reached, so it was not evaluated. */
  readonly isUnreached?: true;
}

export interface MutateOptions extends Pick<RehearsalOptions, 'others'> {
  /** Compiles a changed definition like the original. */
  readonly compile: (text: string) => Compiled;
  /** The most mutants. If there are more, those of each class are as many as possible. */
  readonly mutantsMax: number;
  /** The places that were not reached. */
  readonly unreached: readonly Path[];
  /** Makes tests of a way, the simplest first. */
  readonly testsOf: (
    way: Pick<Way, 'beginning' | 'moves'>,
    change: Change,
  ) => AsyncIterable<TestCase>;
}

export interface Mutation {
  readonly mutants: readonly Mutant[];
  /** Tests that find what the given ones did not. */
  readonly added: readonly TestCase[];
}

/**
 * Changes a definition in one place at a time, as an author might by mistake, and runs its tests on each. For a mistake that no test finds and
 * that makes a difference, a test is added.
 *
 * @param behaviours the behaviour of the definition
 */
export async function mutate(
  definition: Compiled,
  tests: readonly TestCase[],
  { tried, isComplete }: Behaviours,
  { compile, others = {}, mutantsMax, unreached, testsOf }: MutateOptions,
): Promise<Mutation> {
  const value = (definition.filled ?? definition.source.value) as Json;
  const own = withoutPlaces(definition.chart);
  const added: TestCase[] = [];
  const mutants: Mutant[] = [];
  for (const change of sample(changesOf(value), mutantsMax))
    mutants.push({ ...change, ...(await fateOf(change)) });
  return { mutants, added };

  async function fateOf(change: Change): Promise<Omit<Mutant, keyof Change>> {
    const changed = compile(JSON.stringify(withChange(value, change)));
    if (!changed.machine) return { fate: 'refused' };
    if (withoutPlaces(changed.chart) === own) return { fate: 'equivalent' };
    const rehearsal = rehearsalOf(changed, { others });
    const test = await firstFailing(rehearsal, tests);
    if (test !== undefined) return { fate: 'found', test };
    const known = await firstFailing(rehearsal, added);
    if (known !== undefined) return { fate: 'added', test: known };
    const difference = await new Comparison(tried).differenceIn(rehearsal);
    if (difference === undefined) {
      if (unreached.some((path) => isOnTheWay(path, change.path)))
        return { fate: 'unknown', isUnreached: true };
      return { fate: isComplete ? 'equivalent' : 'unknown' };
    }
    for await (const more of testsOf(wayToMove(tried, difference), change)) {
      if ((await firstFailing(rehearsal, [more])) === undefined) continue;
      added.push(more);
      return { fate: 'added', test: more.name };
    }
    return { fate: 'missed' };
  }
}

/** Whether one of two places is inside the other, or both are the same. */
function isOnTheWay(one: Path, other: Path): boolean {
  return one.every((key, index) => index >= other.length || other[index] === key);
}

/** A chart without the places of its parts in the definition. */
function withoutPlaces(chart: Compiled['chart']): string {
  return JSON.stringify(chart, (key, value: unknown) => (key === 'origin' ? undefined : value));
}

async function firstFailing(
  rehearsal: Rehearsal,
  tests: readonly TestCase[],
): Promise<string | undefined> {
  for (const test of tests) if ((await playTest(rehearsal, test)) !== undefined) return test.name;
  return undefined;
}

/** Picks at most `most` changes, in their order: one of each class before the second of any, spread over the definition. */
function sample(all: readonly Change[], most: number): readonly Change[] {
  const byMistake = new Map<string, Change[]>();
  for (const change of all)
    byMistake.set(change.mistake, [...(byMistake.get(change.mistake) ?? []), change]);
  const classes = [...byMistake.values()];
  const shares = classes.map(() => 0);
  for (let rest = Math.min(most, all.length), round = 1; rest > 0; round += 1) {
    const open = [...classes.keys()].filter((index) => classes[index]!.length >= round);
    for (const index of spread(open, rest)) shares[index]! += 1;
    rest -= Math.min(open.length, rest);
  }
  const picked = new Set(classes.flatMap((changes, index) => spread(changes, shares[index]!)));
  return all.filter((change) => picked.has(change));
}

/** Picks at most `most` values, spread over the whole list. */
function spread<Value>(all: readonly Value[], most: number): readonly Value[] {
  if (all.length <= most) return all;
  return Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)]!);
}

/**
 * Runs a test without a host: as the stage of tests does, and much faster.
 *
 * @returns why it fails; undefined when it passes
 */
export async function playTest(rehearsal: Rehearsal, test: TestCase): Promise<string | undefined> {
  const { branches, player, chart, contact } = rehearsal;
  const { input = {}, lifecycleInput, steps } = test;
  try {
    let moment = await branches.begin(
      {
        input,
        ...(contact === undefined ? {} : { contact }),
        ...(lifecycleInput ? { lifecycleInput } : {}),
      },
      usualStart,
    );
    let state: string | undefined;
    let before: Moment | undefined;
    for (const step of steps) {
      const played = await player.playStep(moment, step);
      ({ moment } = played);
      const happened = happenedAt(moment, chart, { calls: played.calls, before, state });
      if (!played.isComplete) return 'An answer was not asked for.';
      const failure = failureOf(step, happened);
      if (failure !== undefined) return failure;
      ({ state } = happened);
      before = moment;
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function failureOf(step: TestCase['steps'][number], happened: Happened): string | undefined {
  for (const name of fieldsIn(step, expectations)) {
    const check = checks[name] as (
      expected: Json,
      seen: Happened,
    ) => { readonly message: string } | undefined;
    const disappointment = check(step[name] as Json, happened);
    if (disappointment) return disappointment.message;
  }
  return undefined;
}
