import { type Compiled, type JsonObject, PortError } from '@dramaturg/compiler';
import { counted, visible } from '@dramaturg/compiler/text';
import { type Recording, unrecorded } from '@dramaturg/host';
import { statePlace } from '../testing/coverage/unit-watch.ts';
import { outcomeOf } from '../testing/expectations.ts';
import { openTasksIn } from '../testing/open-tasks.ts';
import type { StageOptions } from '../testing/stage-options.ts';
import { type Happened, Stage } from '../testing/stage.ts';
import { StepError } from '../testing/step-error.ts';
import {
  type Act,
  type Attendant,
  type Ending,
  isOfPerson,
  type Move,
  type Simulated,
  type Turn,
  wordsOf,
} from './situation.ts';
import { askedIn } from './contact-attendant.ts';

export interface AttendOptions {
  readonly stage: StageOptions;
  readonly compiled: Compiled;
  readonly person: Attendant;
  /** The most decisions and events of the person. */
  readonly turnsMax: number;
  readonly good: readonly string[];
  /** Records or replays the calls of ports and the acts. */
  readonly recording?: Recording;
  readonly stop: AbortSignal;
}

/** Runs one instance together with a person, on a host in memory, to its end or to a bound. */
export async function attend({
  stage: options,
  compiled,
  person,
  turnsMax,
  good,
  recording = unrecorded,
  stop: interrupt,
}: AttendOptions): Promise<Omit<Simulated, 'persona' | 'number'>> {
  const stop = recording.stops(interrupt);
  const stage = await Stage.open(options);
  const turns: Turn[] = [];
  let state = '';
  let reminders = 0;
  let last: Happened | undefined;
  const end = (ending: Omit<Ending, 'isGood' | 'state'> & Partial<Ending>) => ({
    ending: { isGood: isGoodEnd(ending.outcome, state, good), ...ending, state },
    turns,
    collected: last?.view.collected ?? {},
    reminders,
    waitedMs: last === undefined ? 0 : last.at - options.startAt,
    ...(last && last.view.used.requests > 0 ? { used: last.view.used } : {}),
  });
  try {
    await stage.start(options, []);
    for (let act: Act | undefined; ;) {
      const happened = await stage.read();
      last = happened;
      reminders += happened.events.filter(isReminder).length;
      const turn = turnOf(act, happened, compiled, state);
      turns.push(turn);
      state = turn.moves.at(-1)?.to ?? state;
      const outcome = outcomeOf(happened);
      if (outcome !== undefined) {
        // The states in which a lifecycle ends have names of their author.
        const isGood = compiled.kind === 'lifecycle' && good.length === 0;
        const because = failureIn(happened) ?? unansweredIn(reminders, outcome, good);
        return end({
          outcome,
          ...(isGood ? { isGood } : {}),
          ...(because === undefined ? {} : { because }),
        });
      }
      if (turns.length > turnsMax)
        return end({ outcome: 'turn limit', because: `No end after ${turnsMax} messages.` });
      const line = await recording.line(() =>
        stop.aborted ? Promise.resolve(undefined) : nextLine(person, happened),
      );
      if (line === undefined) return end({ outcome: 'waits', because: waitOf(happened) });
      if (line === leaves)
        return end({
          outcome: 'left',
          because: 'The person does not come back, and no timer is set.',
        });
      if (line.startsWith(outage))
        return end({ outcome: 'outage', because: line.slice(outage.length) });
      act = JSON.parse(line) as Act;
      if (act.waits) await stage.passUntilAsked();
      else if (act.writes) await stage.write(act.writes);
      else await stage.happen(act);
    }
  } catch (error) {
    // A step that does not come to rest ends this run. An input that the definition refuses is the caller's mistake, and is
    // thrown.
    if (!(error instanceof StepError)) throw error;
    state = error.state ?? state;
    return end({ outcome: 'call limit', because: error.message });
  } finally {
    await stage.close();
  }
}

/** Recorded instead of an act when the person leaves. */
const leaves = 'leaves';
const outage = 'outage ';

/** The next act of a person as a line of a recording; undefined when nothing can happen any more. */
async function nextLine(person: Attendant, happened: Happened): Promise<string | undefined> {
  try {
    const next = await person.next(happened);
    if (!next) return person.isGone ? leaves : undefined;
    return JSON.stringify(next);
  } catch (error) {
    // The other runs continue: an outage of a model is an ending of this one.
    if (!(error instanceof PortError)) throw error;
    return `${outage}The model of the person cannot be asked: ${error.message}`;
  }
}

function isReminder({ type, kind }: JsonObject): boolean {
  return type === 'turn.started' && kind === 'follow_up';
}

function unansweredIn(
  reminders: number,
  outcome: string,
  good: readonly string[],
): string | undefined {
  if (reminders === 0 || isGoodEnd(outcome, '', good)) return undefined;
  return `${counted(reminders, 'reminder')} sent.`;
}

function turnOf(act: Act | undefined, happened: Happened, compiled: Compiled, from: string): Turn {
  const { events, said, calls, refused, decisions, waits } = happened;
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
  const tasks = openTasksIn(waits).map(({ state }) => state);
  const question = questions[0] ?? askedIn(calls)?.[0]?.name ?? tasks[0];
  return {
    ...(act ? { [isOfPerson(act) ? 'person' : 'happening']: wordsOf(act) } : {}),
    agent: [
      ...events.flatMap(spokenIn),
      ...said,
      ...questions,
      ...tasks.map((state) => `(waits for the token of ${state})`),
    ],
    decided: [],
    moves,
    calls: calls.length,
    failures: refused === undefined ? [] : [`refused: ${refused}`],
    ...(question === undefined ? {} : { asks: question }),
  };
}

/** The statements and votes of an agent in a debate. */
function spokenIn({ type, agent, response, vote }: JsonObject): readonly string[] {
  const words = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  if (type === 'debate.spoken') return [`${words(agent)}: ${words(response)}`];
  return type === 'debate.voted' ? [`${words(agent)} votes ${words(vote)}`] : [];
}

function failureIn({ view }: Happened): string | undefined {
  const failure = view.failure as JsonObject | undefined;
  const { error, cause } = failure ?? {};
  if (typeof error !== 'string') return undefined;
  return visible(typeof cause === 'string' && cause !== '' ? `${error}: ${cause}` : error);
}

function waitOf({ view }: Happened): string {
  const [wait] = view.waits;
  return wait
    ? `No person of this simulation can give what it waits for: ${wait.for}.`
    : 'Nothing is asked, no event is accepted and no timer is set.';
}

/** The usual outcomes of conversations and runs that have reached their purpose. */
const usualGood = ['completed', 'succeeded', 'ACCEPT'];

/** @param good outcomes and states that count as a good end; without them, the usual outcomes do */
export function isGoodEnd(outcome: string, state: string, good: readonly string[]): boolean {
  const wanted = good.length > 0 ? good : usualGood;
  return wanted.includes(outcome) || good.includes(state);
}
