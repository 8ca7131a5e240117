import type { Json, PortInput, UsageRecorded } from '@dramaturg/compiler';
import type { UnderstudyCue, Used } from '@dramaturg/host';
import type { GraphEmitted } from '@dramaturg/context-graph';
import type { NpcEmitted } from '@dramaturg/npc';
import type { PlanEmitted } from '@dramaturg/plan';

/** What an actor that holds a conversation emits. */
export type ConversationEvent = PlanEmitted | NpcEmitted | GraphEmitted | UsageRecorded;

/** How a conversation is shown while it is held. */
export interface ConversationView {
  readonly begin: (conversation: {
    readonly title: string;
    readonly description: string;
    /** Who plays the agent, in a sentence. */
    readonly cast?: string;
  }) => void;
  /** Part of a message that is still being made. */
  readonly hear: (part: string, key: string) => void;
  /** `canRetry`: a turn has failed, and an empty line makes its failed call again. */
  readonly see: (event: ConversationEvent, standing?: { readonly canRetry: boolean }) => void;
  /** A line of the person. `typed`: it stands on the screen already. */
  readonly say: (text: string, typed: boolean) => void;
  /** The words that would move the conversation from a state. */
  readonly cue: (state: string, cues: readonly UnderstudyCue[]) => void;
  /** Makes room for what the person will type, and gives the prompt. */
  readonly prompt: () => string;
  readonly end: (ending: Ending) => void;
}

/** How it came out. */
export interface Ending {
  /** `completed`, `cancelled`, `unfinished`, or what the format calls it. */
  readonly outcome: string;
  readonly state: string;
  /** What the conversation has brought. */
  readonly deliverables: Readonly<Record<string, Json>>;
  /** What was still wanted from the person. */
  readonly open: readonly PortInput<'reply'>['asks'][number][];
  /** What calls have used up, if they have said so. */
  readonly used?: Used;
  /** How to go on with one that is not finished. */
  readonly next: string;
}
