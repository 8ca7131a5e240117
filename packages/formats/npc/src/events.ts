import type { Decision, Outcome, Verdict } from './definition.ts';
import type { Gender, ScenarioResult } from './context.ts';

/** Events a conversation with an NPC accepts. Spec: docs/formats/npc.md#events */
export type NpcEvent =
  /** A line of the player. One that comes while another is being judged or answered waits its turn. */
  | { readonly type: 'message.received'; readonly text: string }
  /** Makes the failed call of a turn again, and the turn goes on. Without a failed turn it has no effect. */
  | { readonly type: 'turn.retry' }
  /** Starts a scenario that is open, or the present one anew. What is under way is discarded. */
  | { readonly type: 'scenario.start'; readonly machine_key?: string }
  /** Ends the conversation at once. */
  | { readonly type: 'cancel'; readonly reason?: string };

/** Events it emits. Spec: docs/formats/npc.md#events */
export type NpcEmitted =
  | { readonly type: 'scenario.started'; readonly machine: string; readonly title: string }
  | {
      readonly type: 'scenario.discarded';
      readonly machine: string;
      readonly state: string;
      readonly score: number;
    }
  | ({
      readonly type: 'scenario.completed';
      readonly unlocked: readonly UnlockedMachine[];
    } & ScenarioResult)
  | {
      readonly type: 'state.entered';
      readonly state: string;
      readonly title: string;
      readonly from?: string;
    }
  | {
      readonly type: 'score.changed';
      readonly state: string;
      readonly from: number;
      readonly to: number;
      readonly delta: number;
    }
  | { readonly type: 'followup.entered' | 'followup.left'; readonly state: string }
  | VerdictReached
  | {
      readonly type: 'message.sent';
      readonly text: string;
      readonly key: string;
      readonly state: string;
    }
  | { readonly type: 'message.refused'; readonly because: string }
  | {
      readonly type: 'update.refused';
      readonly what: string;
      readonly because: string;
      readonly state: string;
    }
  /** The NPC asks for a person on its side. */
  | { readonly type: 'help.requested'; readonly reason?: string; readonly state: string }
  | {
      readonly type: 'variables.extracted';
      readonly machine: string;
      readonly variables: Readonly<Record<string, string>>;
    }
  | { readonly type: 'summary.written'; readonly text: string }
  | {
      readonly type: 'turn.failed';
      readonly port: string;
      readonly code: string;
      readonly message: string;
      /** The player's message that is being judged or answered: it is kept. */
      readonly unanswered?: string;
    }
  | ({ readonly type: 'conversation.ended' } & NpcOutput);

/** Where the conversation stands after the player's message was judged, told before a word of the reply is spoken. */
export interface VerdictReached {
  readonly type: 'verdict.reached';
  /** The decision that had its effect; null for a follow-up. */
  readonly decision: Decision | null;
  readonly follow_up: boolean;
  readonly state: string;
  readonly score: number;
  readonly outcome: Outcome | null;
  /** Null when redirects have no limit. */
  readonly redirect_count: number | null;
  readonly machine_completed: boolean;
  readonly unlocked_machines: readonly UnlockedMachine[];
  /** What the evaluator said, where a limit has turned it into another decision. */
  readonly given?: Verdict;
  readonly reason?: string;
  /** The evaluator gave no verdict that was on offer. */
  readonly evaluation_error?: true;
}

export interface UnlockedMachine {
  readonly machine_key: string;
  readonly name: string;
  readonly is_auto_advance: boolean;
}

/** What a conversation leaves behind. */
export type NpcOutput = {
  /** `completed` when the NPC has ended it without a verdict. */
  readonly outcome: Outcome | 'completed' | 'cancelled';
  /** Why the NPC has ended it, if it did and said so. */
  readonly reason?: string;
  /** The last scenario, the state it ended in, and its score. */
  readonly machine: string;
  readonly state: string;
  readonly score: number;
  /** Every scenario that was completed. */
  readonly results: readonly ScenarioResult[];
  /** Scenarios that are open now and were not from the start. Pass them on as `unlocked` of the next conversation. */
  readonly unlocked: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
};

/** The actor's input. */
export interface NpcInput {
  /** The conversation's id; part of every idempotency key. */
  readonly conversation?: string;
  /** Who has the first word; the NPC (`agent`) when left out. */
  readonly opening?: 'agent' | 'person';
  /** The scenario to begin with, by `machine_key`; the first open one when left out. */
  readonly machine?: string;
  readonly player?: { readonly name?: string; readonly gender?: Gender };
  /** Scenarios that earlier conversations have opened. */
  readonly unlocked?: readonly string[];
  /** Output variables of earlier conversations. */
  readonly variables?: Readonly<Record<string, string>>;
  /** What is known of the player from before. */
  readonly memory?: string;
}
