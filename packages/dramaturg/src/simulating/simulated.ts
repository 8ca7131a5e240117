import type { Json } from '@dramaturg/compiler';
import type { UsageTotal } from '@dramaturg/host';

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
