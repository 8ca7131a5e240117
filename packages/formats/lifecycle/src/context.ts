import type { lifecycle } from '@dramaturg/compiler/format';
import type { TurnKind } from './vocabulary.ts';

/** What guards read. It does not grow with the conversation: messages are in its log, and lists have a limit. */
export interface LifecycleContext {
  /** The instance's id; part of every id and key that the instance gives out. */
  readonly instance: string;
  /** The event that created it, as the input names it, and whether it has to wait its turn. */
  readonly created_by: string;
  readonly queued: boolean;
  /** The present state; empty before the first. */
  readonly state: string;
  /** The state that was left for the present one; null in the first. */
  readonly came_from: string | null;
  /** The state a pause leads back to; null unless paused. */
  readonly previous_state: string | null;
  /** Whether no other instance may speak with the contact. */
  readonly holds_contact: boolean;
  readonly heartbeat_config: HeartbeatConfig;
  /** The time zone of the contact; absent when it is that of the definition. */
  readonly time_zone?: string;
  /** The next delay of the heartbeat in milliseconds, where the agent has chosen one. */
  readonly heartbeat_override_ms: number | null;
  /** The same as an absolute time; absent or null when the agent has chosen none. */
  readonly heartbeat_override_at?: number | null;
  /** The timer of the present state. */
  readonly timer: Timer | null;
  /** How many timers were set: part of their keys. */
  readonly timers: number;
  readonly follow_up_count: number;
  /** Follow-ups that have failed since the last turn that ended as it should. */
  readonly failure_streak: number;
  readonly turn: Turn | null;
  readonly turn_counter: number;
  /** The causes of missing replies that the contact knows, since the last reply. Absent before. */
  readonly told?: readonly string[];
  /** What a pause has interrupted. */
  readonly frozen: Frozen | null;
  /** How many messages wait that no turn was given yet. A turn gets the oldest ones. */
  readonly inbox_count: number;
  /** When the first and the last of them came. Absent without a quiet window. */
  readonly inbox_at?: { readonly first: number; readonly last: number };
  /** Ids of the latest messages: one that is delivered twice counts once. */
  readonly seen: readonly string[];
  readonly message_counter: number;
  /** Whether anything was ever said to the contact. */
  readonly addressed: boolean;
  /** The contact was given the first word. */
  readonly contact_begins: boolean;
  readonly todos: readonly Todo[];
  readonly end_reason: string | null;
  readonly failure_reason: string | null;
  readonly intervention_reason: string | null;
  /** What the operator gave as a reason for cancelling. */
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
  /** What it was set to. */
  readonly delay_ms: number;
  /** The agent has chosen the time. */
  readonly chosen?: true;
}

export interface Turn {
  readonly id: string;
  readonly kind: TurnKind;
  /** How many messages it has sent. */
  readonly sent: number;
  /** How many messages it was given. */
  readonly message_count: number;
  /** What the agent has asked for; nothing else is accepted from it afterwards. */
  readonly asked: 'end' | 'help' | null;
  /** The agent's reason. */
  readonly reason: string | null;
  /** It came to its end, well or badly, and is not to be stopped. */
  readonly ended: boolean;
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

/** Own fields only: names come from definitions and events, and `constructor` is a name like any other. */
export function own<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
