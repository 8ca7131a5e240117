import type { Json } from '@dramaturg/compiler';
import type { UsageTotal } from '@dramaturg/host';
import { addCall } from '@dramaturg/host/engine';
import type { UnderstudyCue } from '@dramaturg/understudy/cues';
import type { Happened } from '../testing/stage.ts';
import type { GivenDecision, GivenTask, TestStep } from '../testing/test-file.ts';
import type { Asked } from './answer.ts';

/** The knowledge of a simulated person when it is its turn. */
export interface Situation {
  /** The last state that the conversation has entered. */
  readonly state: string;
  /** The questions of the last message, in order. */
  readonly asks: readonly (Asked & { readonly unconfirmed?: Json | undefined })[];
  /** Further fields that are not collected yet. */
  readonly open: readonly Asked[];
  /** The options that the next message decides between, if it leads to a choice. */
  readonly cues: readonly UnderstudyCue[];
  /** All messages to the person. */
  readonly messages: readonly string[];
  /** The last message to the person. */
  readonly heard: string;
}

/** The person of a simulation. */
export interface SimulatedPerson {
  /** The next line; undefined when the person leaves. */
  readonly answer: (situation: Situation) => Promise<string | undefined> | string | undefined;
}

/** Words of options and events that lead away from the aim of a conversation or a run. */
export const leadsAway =
  /\b(?:reject|refus|declin|den(?:y|ied)|kick|stop|abort|cancel|quit|leav|attack|insult|threat|angr|unclear|nothing usable|nobody|off.?topic|redirect|fail|emergenc|escalat|expire|timeout|return)/i;

/** One thing that somebody does with an instance on a host: writes, decides, sends an event, operates it, or lets time pass. */
export type Act = Pick<TestStep, 'decide' | 'event' | 'later' | 'operator' | 'task'> & {
  /** Messages that are written one after another, without waiting for an answer. */
  readonly writes?: readonly string[];
  /** Time passes until somebody is asked, or nothing more is due. */
  readonly waits?: true;
};

/** Somebody who acts on an instance on a host. */
export interface Attendant {
  /** The next act; undefined when nothing can happen any more. */
  readonly next: (happened: Happened) => Promise<Act | undefined> | Act | undefined;
  /** Whether the person never comes back. */
  readonly isGone: boolean;
}

/** Whether the act is the person's, and not that of an operator or the clock. */
export function isOfPerson({ later, operator, waits }: Act): boolean {
  return later === undefined && operator === undefined && waits === undefined;
}

/** An act as one line of a transcript. */
export function wordsOf({ decide, event, later, operator, task, waits, writes }: Act): string {
  if (writes) return writes.join(' / ');
  if (waits) return '(time passes)';
  if (later !== undefined) return `(time passes ${later})`;
  if (event) return `(event) ${event.type}`;
  if (task) return wordsOfTask(task);
  if (operator !== undefined) {
    const [command, text] =
      typeof operator === 'string' ? [operator] : Object.entries(operator)[0]!;
    return `(operator) ${command}${text === undefined ? '' : `: ${text}`}`;
  }
  const { decision, by, comment } = (
    typeof decide === 'string' ? { decision: decide } : decide
  ) as Exclude<GivenDecision, string>;
  return `(decides) ${decision}${by === undefined ? '' : ` by ${by}`}${comment === undefined ? '' : `: ${comment}`}`;
}

function wordsOfTask({ state = 'the task', completes, fails, heartbeat }: GivenTask): string {
  if (heartbeat) return `(heartbeat) ${state}`;
  if (fails === undefined) return `(completes) ${state}: ${JSON.stringify(completes)}`;
  return `(fails) ${state}: ${typeof fails === 'string' ? fails : fails.error}`;
}

/** The state that was entered, and the transition that led there. */
export interface Move {
  readonly from: string;
  readonly to: string;
  /** The transition in the words of the definition; absent where no author wrote one. */
  readonly by?: string;
  readonly line?: number;
  readonly column?: number;
}

/** One line of the person with everything that followed from it. The first turn has no line: it is the start. */
export interface Turn {
  readonly person?: string;
  /** An event in place of a line of the person: time passes, or an operator does something. */
  readonly happening?: string;
  readonly agent: readonly string[];
  /** Answers of a model or an agent that can decide the way: the values, options and results, in order. */
  readonly decided: readonly Decided[];
  readonly moves: readonly Move[];
  /** Calls of ports. */
  readonly calls: number;
  /** Failures of calls. */
  readonly failures: readonly string[];
  /** The question that the last message asks. */
  readonly asks?: string;
}

export interface Decided {
  readonly port: string;
  readonly answer: Json;
}

/**
 * How a simulated conversation ended. Besides the outcomes of formats: `left`, when the person gave up; `handed over`, when the
 * agent has asked for a person; `turn limit`; `call limit`; and `outage`, when a call failed again and again. Workflows and
 * lifecycles may also end as `waits`, when nothing more can happen.
 */
export interface Ending {
  readonly outcome: string;
  readonly isGood: boolean;
  /** Where it ended. */
  readonly state: string;
  /** The obstacle, in a sentence, if it did not come to an end of the definition. */
  readonly because?: string;
}

/** A conversation of a simulation. */
export interface Simulated {
  readonly persona: string;
  /** From 1 within the persona. */
  readonly number: number;
  readonly ending: Ending;
  readonly turns: readonly Turn[];
  readonly collected: Readonly<Record<string, Json>>;
  /** Reminders that were sent because the person did not answer. Absent where no time passes. */
  readonly reminders?: number;
  /** From the start to the end, in milliseconds on the clock of the host. Absent where no time passes. */
  readonly waitedMs?: number;
  /** The usage of models that play the agent. Absent without a model. */
  readonly used?: UsageTotal;
  /** The usage of the model that plays the person. */
  readonly usedByPerson?: UsageTotal;
}

/** Adds the usage of one part to the usage of others. */
export function addTotal(total: UsageTotal, { calls, unpriced, ...used }: UsageTotal): UsageTotal {
  const sums = { ...addCall(total, { time: used.time, usage: used }), calls: total.calls + calls };
  return unpriced === undefined ? sums : { ...sums, unpriced };
}
