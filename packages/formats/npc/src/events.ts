import type {
  ConversationEvent,
  ConversationInput,
  ConversationOutput,
  StateEntered,
  TurnFailed,
} from '@dramaturg/compiler/format';
import type { ConversationEmitted, Event } from '@dramaturg/conversation';
import type { Decision, Outcome, Verdict } from './definition.ts';
import type { Gender, ScenarioResult } from './context.ts';

/** Events that a conversation with an NPC accepts. Spec: docs/formats/npc.md#events */
export type NpcEvent =
  | ConversationEvent
  /** Starts an open scenario, or restarts the current one. The running session is discarded. */
  | { readonly type: 'scenario.start'; readonly machine_key?: string };

/** Events that a conversation with an NPC emits. Spec: docs/formats/npc.md#events */
export type NpcEmitted =
  | ConversationEmitted
  | Event<'scenario.started', { machine: string; title: string }>
  | Event<'scenario.discarded', { machine: string; state: string; score: number }>
  | (Event<'scenario.completed', { unlocked: readonly UnlockedMachine[] }> & ScenarioResult)
  | StateEntered
  | Event<'score.changed', { state: string; from: number; to: number; delta: number }>
  | Event<'followup.entered' | 'followup.left', { state: string }>
  | VerdictReached
  | Event<'variables.extracted', { machine: string; variables: Readonly<Record<string, string>> }>
  | (TurnFailed & { readonly port: string })
  | Event<'conversation.ended', NpcOutput>;

/** The state of the conversation after the player's message was judged. Emitted before the reply is composed. */
export interface VerdictReached {
  readonly type: 'verdict.reached';
  /** The decision that took effect; null for a follow-up. */
  readonly decision: Decision | null;
  readonly follow_up: boolean;
  readonly state: string;
  readonly score: number;
  readonly outcome: Outcome | null;
  /** Null when redirects have no limit. */
  readonly redirect_count: number | null;
  readonly machine_completed: boolean;
  readonly unlocked_machines: readonly UnlockedMachine[];
  /** The evaluator's own verdict, if a limit has replaced it. */
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

/** The output of the actor. */
export type NpcOutput = ConversationOutput & {
  /** `completed` when the NPC ended the conversation without a verdict. */
  readonly outcome: Outcome | 'completed' | 'cancelled' | 'ended_by_agent';
  /** The last scenario. */
  readonly machine: string;
  /** The score in it. */
  readonly score: number;
  /** Every completed scenario. */
  readonly results: readonly ScenarioResult[];
  /** Scenarios that are open now and were not from the start. Pass them on as `unlocked` of the next conversation. */
  readonly unlocked: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
};

/** The actor's input. */
export type NpcInput = ConversationInput & {
  /** The scenario to begin with, by `machine_key`; the first open one when left out. */
  readonly machine?: string;
  readonly player?: { readonly name?: string; readonly gender?: Gender };
  /** Scenarios that earlier conversations have opened. */
  readonly unlocked?: readonly string[];
  /** Output variables of earlier conversations. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Knowledge about the player from earlier. */
  readonly memory?: string;
};
