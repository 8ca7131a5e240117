import type { Json, JsonObject } from '@dramaturg/compiler';
import type { ConversationContext } from '@dramaturg/conversation';

export { own } from '@dramaturg/conversation';

/** What a plan's guards and prompts read. */
export interface PlanContext extends ConversationContext {
  /** The answers of the form shown before the conversation. */
  readonly session: JsonObject;
  /** Id of the current state; `__end__` once the plan has ended. */
  readonly state: string;
  readonly visit: Visit;
  /** States left or entered since the last event from outside: none of them is entered again before the next one. */
  readonly visited: readonly string[];
  /** How the tasks of each state stand, by state; a state is in it once it was entered. */
  readonly tasks: Readonly<Record<string, Readonly<Record<string, TaskStatus>>>>;
  readonly deliverables: Readonly<Record<string, DeliverableRecord>>;
  /** The state that the port call in flight was asked about: an answer that comes too late is not applied to another. */
  readonly addressed: string;
  /** What the update in hand has brought so far. */
  readonly noted: 'nothing' | 'insight' | 'progress';
  /** What could not be recorded since the last reply, and why; the next reply explains it. */
  readonly refused: readonly Refusal[];
  /** The state that was left since the last reply, which the next reply leads over from; null when none was left. */
  readonly cameFrom: string | null;
  /** The state the conversation was in when it ended. */
  readonly lastState: string;
  readonly outcome: 'completed' | 'cancelled' | null;
  /** Why the agent has ended the conversation, if it did and said so. */
  readonly reason: string | null;
}

/** The stay in one state, from entering it to leaving it. */
export interface Visit {
  /** Entered before: what is known already completes no task until the person has said something. */
  readonly again: boolean;
  /** The agent has spoken in it. */
  readonly spoken: boolean;
  /** The person has answered to that, or something was recorded. */
  readonly answered: boolean;
  /** Messages of the person in it. */
  readonly turns: number;
  /** Messages of the person since something was last recorded. */
  readonly idleTurns: number;
}

export type TaskStatus = 'completed' | 'skipped';

export interface DeliverableRecord {
  readonly value: Json;
  /** The state it was collected in. */
  readonly state: string;
  readonly reasoning?: string;
  /** Mentioned only in passing; to be confirmed. */
  readonly unconfirmed?: true;
  /** Learnt in a goal state without being declared there: shown, but no completion counts it. */
  readonly discovered?: true;
  /** Earlier values, the latest last; at most `longestHistory`. */
  readonly history?: readonly Json[];
}

interface Refusal {
  /** A key, a task id or a state id. */
  readonly what: string;
  readonly because: string;
}

/** Every value is emitted as it is collected; the snapshot keeps the latest few. */
export const longestHistory = 10;

export const freshVisit: Visit = {
  again: false,
  spoken: false,
  answered: false,
  turns: 0,
  idleTurns: 0,
};
