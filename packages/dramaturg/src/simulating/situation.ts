import type { Json } from '@dramaturg/compiler';
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
