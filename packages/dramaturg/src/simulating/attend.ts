import { type Compiled, type JsonObject, visible } from '@dramaturg/compiler';
import { statePlace } from '../testing/coverage/state-place.ts';
import { outcomeOf } from '../testing/expectations.ts';
import { type Happened, Stage, StepError } from '../testing/stage.ts';
import type { StageOptions } from '../testing/stage-options.ts';
import type { GivenDecision } from '../testing/test-file.ts';
import { isGoodEnd } from './good-end.ts';
import type { Act, RuleAttendant } from './rule-attendant.ts';
import type { Ending, Move, Simulated, Turn } from './simulated.ts';

export interface AttendOptions {
  readonly stage: StageOptions;
  readonly compiled: Compiled;
  readonly person: RuleAttendant;
  /** The most decisions and events of the person. */
  readonly turnsMax: number;
  readonly good: readonly string[];
}

/** Runs one instance of a workflow or a lifecycle with a person beside it, on a host in memory, to its end or to a bound. */
export async function attend({
  stage: options,
  compiled,
  person,
  turnsMax,
  good,
}: AttendOptions): Promise<Omit<Simulated, 'persona' | 'number'>> {
  const stage = await Stage.open(options);
  const turns: Turn[] = [];
  let state = '';
  const end = (ending: Omit<Ending, 'isGood' | 'state'> & Partial<Ending>) => ({
    ending: { isGood: isGoodEnd(ending.outcome, state, good), ...ending, state },
    turns,
    collected: {},
  });
  try {
    await stage.start(options, []);
    for (let act: Act | undefined; ;) {
      const happened = await stage.read();
      const turn = turnOf(act, happened, compiled, state);
      turns.push(turn);
      state = turn.moves.at(-1)?.to ?? state;
      const outcome = outcomeOf(happened);
      if (outcome !== undefined) {
        // The states in which a lifecycle ends have names of their author.
        const isGood = compiled.kind === 'lifecycle' && good.length === 0;
        return end({ outcome, ...(isGood ? { isGood } : {}), ...failureIn(happened) });
      }
      if (turns.length > turnsMax)
        return end({ outcome: 'turn limit', because: `No end after ${turnsMax} messages.` });
      act = person.next(happened);
      if (!act) return end({ outcome: 'waits', because: waitOf(happened) });
      await stage.happen(act);
    }
  } catch (error) {
    // A step that does not come to rest. An input that the definition refuses is the caller's mistake.
    if (!(error instanceof StepError)) throw error;
    state = error.state ?? state;
    return end({ outcome: 'call limit', because: error.message });
  } finally {
    await stage.close();
  }
}

function turnOf(act: Act | undefined, happened: Happened, compiled: Compiled, from: string): Turn {
  const { events, said, calls, refused, decisions } = happened;
  let before = from;
  const moves = events.flatMap((event): readonly Move[] => {
    const { type, state: to } = event;
    if (type !== 'state.entered' || typeof to !== 'string') return [];
    const place = statePlace(compiled, to);
    // States of the built-in lifecycle are not in the definition.
    if (place.line === undefined) return [];
    const move = { from: before, to, ...place };
    before = to;
    return [move];
  });
  const questions = decisions.map(({ prompt }) => prompt);
  return {
    ...(act ? { person: wordsOf(act) } : {}),
    agent: [...said, ...questions],
    decided: [],
    moves,
    calls: calls.length,
    failures: refused === undefined ? [] : [`refused: ${refused}`],
    ...(questions.length > 0 ? { asks: questions[0]! } : {}),
  };
}

function wordsOf({ decide, event, later }: Act): string {
  if (later !== undefined) return `(time passes ${later})`;
  if (event) return `(event) ${event.type}`;
  const { decision, by, comment } = (
    typeof decide === 'string' ? { decision: decide } : decide
  ) as Exclude<GivenDecision, string>;
  return `(decides) ${decision}${by === undefined ? '' : ` by ${by}`}${comment === undefined ? '' : `: ${comment}`}`;
}

function failureIn({ view }: Happened): { readonly because?: string } {
  const failure = view.failure as JsonObject | undefined;
  const { error, cause } = failure ?? {};
  if (typeof error !== 'string') return {};
  return {
    because: visible(typeof cause === 'string' && cause !== '' ? `${error}: ${cause}` : error),
  };
}

function waitOf({ view }: Happened): string {
  const [wait] = view.waits;
  return wait
    ? `No person of this simulation can give what it waits for: ${wait.for}.`
    : 'Nothing is asked, no event is accepted and no timer is set.';
}
