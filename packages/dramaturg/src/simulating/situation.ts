import type { Json } from '@dramaturg/compiler';
import type { UnderstudyCue } from '@dramaturg/understudy/cues';
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
