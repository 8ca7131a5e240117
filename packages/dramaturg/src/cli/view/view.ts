import type { Json, PortInput } from '@dramaturg/compiler';
import type { UsageRecorded } from '@dramaturg/compiler/machine';
import type { UsageTotal } from '@dramaturg/host';
import type { UnderstudyCue } from '@dramaturg/understudy/cues';
import type { GraphEmitted } from '@dramaturg/context-graph';
import type { NpcEmitted } from '@dramaturg/npc';
import type { PlanEmitted } from '@dramaturg/plan';

/** The events that the actor of a conversation emits. */
export type ConversationEvent = PlanEmitted | NpcEmitted | GraphEmitted | UsageRecorded;

/** Shows a conversation while it is held. */
export interface ConversationView {
  readonly begin: (conversation: {
    readonly title: string;
    readonly description: string;
    /** Who plays the agent, in a sentence. */
    readonly cast?: string;
  }) => void;
  /** Shows a part of a message that is still being generated. */
  readonly hear: (part: string, key: string) => void;
  /** `canRetry`: the turn has failed, and an empty line repeats its failed call. */
  readonly see: (event: ConversationEvent, turn?: { readonly canRetry: boolean }) => void;
  /** Shows a line of the person. `typed`: the line is on the screen already. */
  readonly say: (text: string, typed: boolean) => void;
  /** Shows the words that would lead out of a state. */
  readonly cue: (state: string, cues: readonly UnderstudyCue[]) => void;
  /** Prepares the screen for input, and returns the prompt. */
  readonly prompt: () => string;
  readonly end: (ending: Ending) => void;
}

/** The outcome of a conversation. */
export interface Ending {
  /** `completed`, `cancelled`, `unfinished`, or a word of the format. */
  readonly outcome: string;
  readonly state: string;
  /** The collected values. */
  readonly deliverables: Readonly<Record<string, Json>>;
  /** The questions that are still open. */
  readonly open: readonly PortInput<'reply'>['asks'][number][];
  /** The usage of the calls, if they report it. */
  readonly used?: UsageTotal;
  /** How to continue a conversation that is not finished. */
  readonly next: string;
}
