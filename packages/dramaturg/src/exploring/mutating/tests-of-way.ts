import type { StageOptions } from '../../testing/stage-options.ts';
import type { TestCase } from '../../testing/test-file.ts';
import type { Branches } from '../branches.ts';
import { writeDuration } from '../../testing/duration.ts';
import { nextDue } from '../due.ts';
import { restingWay } from '../resting-way.ts';
import type { Beginning, Moment } from '../moment.ts';
import { observeWay } from '../observe-way.ts';
import type { Move, Player } from '../player.ts';
import type { Rehearsal } from '../rehearsal.ts';
import { playTest } from './mutate.ts';

/**
 * Tests of a way, the simplest first: one like generated tests; then with the next due time, and just before it; then with the
 * inputs of models and agents.
 *
 * @param name the name of the tests
 */
export async function* testsOfWay(
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
