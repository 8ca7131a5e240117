import type { Json } from '@dramaturg/compiler';
import { checks } from '../testing/expectations.ts';
import { fieldsIn } from '../testing/read-test-file.ts';
import type { Happened } from '../testing/stage.ts';
import { usualStart } from '../testing/stage-options.ts';
import { expectations, type TestCase } from '../testing/test-file.ts';
import { happenedAt } from './happened-at.ts';
import type { Moment } from './moment.ts';
import type { Rehearsal } from './rehearsal.ts';

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
