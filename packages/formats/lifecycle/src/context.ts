import type { lifecycle } from '@dramaturg/compiler/format';
import type { Times } from './times.ts';
import type { TurnKind } from './vocabulary.ts';

/** The data that guards read. It does not grow with the conversation: messages are in its log, and lists have a limit. */
export interface LifecycleContext {
  /** The instance's id; part of every id and key that the instance creates. */
  readonly instance: string;
  /** The event that created the instance, from the input, and whether the instance is queued. */
  readonly created_by: string;
  readonly queued: boolean;
  /** The current state; empty before the first. */
  readonly state: string;
  /** The state before the current one; null in the first. */
  readonly came_from: string | null;
  /** The state that a pause leads back to; null unless paused. */
  readonly previous_state: string | null;
  /** Whether no other instance may speak with the contact. */
  readonly holds_contact: boolean;
  readonly heartbeat_config: HeartbeatConfig;
  /** The time zone of the contact; absent when it is that of the definition. */
  readonly time_zone?: string;
  /** Policies of the instance that has called or started this one; absent without any. The own policies win. */
  readonly caller?: Times;
  /** The next delay of the heartbeat in milliseconds, where the agent has chosen one. */
  readonly heartbeat_override_ms: number | null;
  /** The next heartbeat as an absolute time; absent or null when the agent has chosen none. */
  readonly heartbeat_override_at?: number | null;
  /** The timer of the current state. */
  readonly timer: Timer | null;
  /** How many timers were set: part of their keys. */
  readonly timers: number;
  readonly follow_up_count: number;
  /** Follow-ups that have failed since the last successful turn. */
  readonly failure_streak: number;
  readonly turn: Turn | null;
  readonly turn_counter: number;
  /** The causes of missing replies already explained to the contact since the last reply. Absent before the first. */
  readonly told?: readonly string[];
  /** The fallback sentence for the next message, after a first turn has failed; absent or null otherwise. */
  readonly unsaid?: FallbackSentence | null;
  /** The timer and the turn that a pause has interrupted. */
  readonly frozen: Frozen | null;
  /** How many messages wait that no turn has received yet. A turn receives the oldest ones. */
  readonly inbox_count: number;
  /** When the first and the last of the waiting messages came. Absent without a quiet window. */
  readonly inbox_at?: { readonly first: number; readonly last: number };
  /** Ids of the latest messages: a message that is delivered twice counts once. */
  readonly seen: readonly string[];
  readonly message_counter: number;
  /** Whether any message was ever sent to the contact. */
  readonly addressed: boolean;
  /** The contact is to speak first. */
  readonly contact_begins: boolean;
  readonly todos: readonly Todo[];
  readonly end_reason: string | null;
  readonly failure_reason: string | null;
  readonly intervention_reason: string | null;
  /** The operator's reason for cancelling. */
  readonly cancel_reason: string | null;
}

export interface HeartbeatConfig {
  /** In milliseconds, from 1 to 2,147,483,647. */
  readonly interval_ms: number;
  readonly max_followups: number;
}

/** Times are milliseconds since 1970 UTC. */
export interface Timer {
  readonly due_at: number;
  /** The delay that the timer was set to. */
  readonly delay_ms: number;
  /** The agent has chosen the time. */
  readonly chosen?: true;
}

export interface Turn {
  readonly id: string;
  readonly kind: TurnKind;
  /** How many messages the turn has sent. */
  readonly sent: number;
  /** How many messages the turn has received. */
  readonly message_count: number;
  /** The request of the agent; nothing else is accepted from it afterwards. */
  readonly asked: 'end' | 'help' | null;
  /** The agent's reason. */
  readonly reason: string | null;
  /** The turn has ended, well or badly, so it need not be stopped. */
  readonly ended: boolean;
}

export interface FallbackSentence {
  readonly id: string;
  readonly cause: string;
  /** The text, or else its language, if the policy has them. */
  readonly text?: string;
  readonly language?: string;
}

export interface Frozen {
  readonly timer: (Timer & { readonly remaining_ms: number }) | null;
  readonly turn: Pick<Turn, 'kind' | 'sent'> | null;
}

export const todoStatuses = [
  'pending',
  'in_progress',
  'completed',
  'skipped',
] as const satisfies readonly lifecycle.TodoStatus[];
export type TodoStatus = lifecycle.TodoStatus;

export type Todo = {
  readonly id: string;
  readonly text: string;
  readonly status: TodoStatus;
};

/** Reads own fields only: names come from definitions and events, and `constructor` is a name like any other. */
export function own<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
