import { usualStart } from '../testing/stage-options.ts';
import { answersTo } from './answers.ts';
import type { Moment } from './moment.ts';
import type { Rehearsal } from './rehearsal.ts';
import { stepsOf } from './steps-of.ts';
import type { Way } from './way.ts';

/** Answers that are tried to bring a way to rest. */
const answersMax = 12;

/**
 * A way after which the definition rests. In a test the understudy continues to answer, possibly forever. A further answer may
 * help.
 *
 * @returns undefined when neither the way nor a further answer lets it rest, or a test file cannot express the way
 */
export async function restingWay<Given extends Pick<Way, 'beginning' | 'moves'>>(
  way: Given,
  rehearsal: Rehearsal,
): Promise<Given | undefined> {
  if (await rests(way, rehearsal)) return way;
  const { player, branches, vocabulary } = rehearsal;
  let moment = await player.play(await branches.begin(way.beginning, usualStart), {
    happening: {},
  });
  for (const move of way.moves) moment = await player.play(moment, move);
  const [call] = moment.calls;
  if (!call) return undefined;
  for (const answer of answersTo(call, vocabulary).slice(0, answersMax)) {
    const longer = { ...way, moves: [...way.moves, { port: call.port, answer }] };
    if (answer !== undefined && (await rests(longer, rehearsal))) return longer;
  }
  return undefined;
}

async function rests(
  { beginning, moves }: Pick<Way, 'beginning' | 'moves'>,
  { player, branches }: Rehearsal,
): Promise<boolean> {
  const steps = stepsOf(moves);
  if (!steps) return false;
  let moment: Moment = await branches.begin(beginning, usualStart);
  for (const step of steps) {
    const played = await player.playStep(moment, step);
    ({ moment } = played);
    if (moment.calls.length > 0 || !played.isComplete) return false;
  }
  return true;
}
