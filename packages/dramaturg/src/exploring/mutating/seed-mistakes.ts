import type { Compiled } from '@dramaturg/compiler';
import { type TestCase, writeDuration } from '../../testing/test-file.ts';
import { type StageOptions, usualStart } from '../../testing/stage-options.ts';
import { beginningsOf } from '../beginnings.ts';
import type { Branches } from '../branches.ts';
import { type Beginning, type Moment, nextDue } from '../moment.ts';
import { observeWay, restingWay } from '../observe-way.ts';
import type { Move, Player } from '../player.ts';
import { type Rehearsal, rehearsalOf } from '../rehearsal.ts';
import { Search, type SearchBounds } from '../search.ts';
import { type Behaviours, seenAt, type TriedMove } from './comparison.ts';
import { mutate, type MutateOptions, type Mutation, playTest } from './mutate.ts';

/** Two definitions that behave the same in this many moves count as equivalent. */
const comparedMoves = { steps: 300, seconds: 4 };

/** Seeds mistakes in a definition and runs its generated tests on each. */
export async function seedMistakes(
  definition: Compiled,
  tests: readonly TestCase[],
  stage: Omit<StageOptions, 'input' | 'lifecycleInput'>,
  { compile, mutantsMax, unreached }: Pick<MutateOptions, 'compile' | 'mutantsMax' | 'unreached'>,
): Promise<Mutation> {
  const { others = {} } = stage;
  const rehearsal = rehearsalOf(definition, { others });
  const passing: TestCase[] = [];
  for (const test of tests) if ((await playTest(rehearsal, test)) === undefined) passing.push(test);
  const names = new Set(tests.map(({ name }) => name));
  const behaviours = await behavioursOf(rehearsal, comparedMoves);
  return mutate(definition, passing, behaviours, {
    compile,
    others,
    mutantsMax,
    unreached,
    testsOf: (way, { path, words }) =>
      testsOfWay(rehearsal, way, newName(`${path.join('.')}: ${words}`), stage),
  });

  function newName(wanted: string): string {
    const name = `not ${wanted.replaceAll(/\s+/g, ' ').slice(0, 120)}`;
    const free = names.has(name) ? `${name} (${names.size})` : name;
    names.add(free);
    return free;
  }
}

/** The behaviour of a definition within a bound: every move that a search tries, whether or not it reaches something new. */
async function behavioursOf(rehearsal: Rehearsal, bounds: SearchBounds): Promise<Behaviours> {
  const { branches, player, vocabulary } = rehearsal;
  const tried: TriedMove[] = [];
  const indexes = new Map<Moment, number>();
  const { endedAt } = await new Search({
    branches,
    player,
    vocabulary,
    bounds,
    startAt: usualStart,
    takeUnits: () => new Set(),
    // The search continues to its bound.
    goals: new Set(['never reached']),
    outside: rehearsal.outside,
    beginnings: beginningsOf(rehearsal),
    onTried: ({ moment, before, beginning, move }) => {
      indexes.set(moment, tried.length);
      const seen = seenAt(moment, rehearsal);
      const after = before && indexes.get(before);
      tried.push(
        after === undefined ? { beginning, seen } : { after, ...(move ? { move } : {}), seen },
      );
    },
  }).run();
  return { tried, isComplete: endedAt === undefined };
}

/**
 * Tests of a way, the simplest first: one like generated tests; then with the next due time, and just before it; then with the
 * inputs of models and agents.
 *
 * @param name the name of the tests
 */
async function* testsOfWay(
  rehearsal: Rehearsal,
  { beginning, moves }: { readonly beginning: Beginning; readonly moves: readonly Move[] },
  name: string,
  stage: Omit<StageOptions, 'input' | 'lifecycleInput'>,
): AsyncGenerator<TestCase> {
  const waits = await waitsAfter(rehearsal, beginning, moves, stage.startAt);
  for (const detail of ['inputs', 'few', 'all'] as const)
    for (const more of [moves, ...waits.map((wait) => [...moves, wait])]) {
      const resting = await restingWay({ beginning, moves: more }, rehearsal);
      const observed = resting && (await observeWay(resting, name, stage, detail));
      // A test with random values in its data would not pass again.
      if (observed && (await playTest(rehearsal, observed.test)) === undefined) yield observed.test;
    }
}

async function waitsAfter(
  { branches, player }: { readonly branches: Branches; readonly player: Player },
  beginning: Beginning,
  moves: readonly Move[],
  startAt: number,
): Promise<readonly Move[]> {
  let moment: Moment = await branches.begin(beginning, startAt);
  moment = await player.play(moment, { happening: {} });
  for (const move of moves) moment = await player.play(moment, move);
  const due = nextDue(moment);
  if (due === Infinity || moment.calls.length > 0 || moment.ended) return [];
  const wait = due - moment.at;
  return [wait, wait - 1]
    .filter((each) => each > 0)
    .map((each) => ({ happening: { later: writeDuration(each) } }));
}
