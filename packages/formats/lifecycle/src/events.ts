import type { HeartbeatConfig, Todo, TodoStatus } from './context.ts';
import type { Kind, TurnKind } from './vocabulary.ts';

/**
 * Events an instance with the lifecycle of a conversation accepts, besides the events of its table. A message is named by
 * its id in the conversation's log; its text may come along, and is passed on and not kept.
 * Spec: docs/formats/lifecycle.md#events
 */
export type LifecycleEvent =
  /** The contact has written. An id that was received before is refused. */
  | { readonly type: 'message.received'; readonly id?: string; readonly text?: string }
  /** An operator writes to the contact by hand: asks for the message to be sent ... */
  | { readonly type: 'intervene'; readonly id?: string; readonly text?: string }
  /** ... and this one says that the channel has accepted it. */
  | { readonly type: 'manual_send'; readonly id?: string; readonly text?: string }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'cancel'; readonly reason?: string }
  /** No other instance holds the contact any more, and this one is the first in the line. */
  | { readonly type: 'prior_instance_terminal' }
  | { readonly type: 'contact_has_active_instance' }
  /** The agent takes up what waits for it; only with the policy `pick_up: when_available`. */
  | { readonly type: 'agent.available' }
  /** The agent has composed a message. `turn` is the id from `turn.started`, here and below. */
  | {
      readonly type: 'agent.replied';
      readonly turn: string;
      readonly id?: string;
      readonly text?: string;
    }
  /** The agent has ended the conversation. */
  | { readonly type: 'agent.ended'; readonly turn: string; readonly reason?: string }
  /** The agent asks for a person. */
  | { readonly type: 'agent.flagged'; readonly turn: string; readonly reason?: string }
  /** The agent chooses the next delay of the heartbeat. */
  | { readonly type: 'agent.rescheduled'; readonly turn: string; readonly delay_ms: number }
  | {
      readonly type: 'todo.marked';
      readonly turn: string;
      readonly todo_id: string;
      readonly status: TodoStatus;
    }
  /** The turn is over. Nothing leaves its state before. `awaits`: it was silent because the contact has the first word. */
  | { readonly type: 'turn.ended'; readonly turn: string; readonly awaits?: 'contact' }
  | {
      readonly type: 'turn.failed';
      readonly turn: string;
      readonly reason?: string;
      /** False when no retry can succeed. */
      readonly recoverable?: boolean;
    }
  /** The host has started again and the agent's turn is lost. `stopped_at` is when it was last alive. */
  | { readonly type: 'instance.recovered'; readonly stopped_at?: number };

/** Events it emits. Spec: docs/formats/lifecycle.md#events */
export type LifecycleEmitted =
  | {
      readonly type: 'state.entered';
      readonly state: string;
      readonly kind: Kind;
      /** Not for the first state. */
      readonly from?: string;
      readonly holds_contact: boolean;
    }
  /** A message belongs into the conversation's log now. */
  | {
      readonly type: 'message.recorded';
      readonly role: 'contact' | 'manual';
      readonly id: string;
      readonly text?: string;
    }
  /** The channel is to send a message. After a crash the event repeats with the same `id`. */
  | {
      readonly type: 'message.send.requested';
      readonly role: 'agent' | 'manual';
      readonly id: string;
      readonly text?: string;
      /** Which message of which turn, for one of the agent's. */
      readonly turn?: string;
      readonly index?: number;
    }
  /** Something waits for the agent, who is to answer `agent.available`. */
  | { readonly type: 'agent.wanted'; readonly messages: readonly string[] }
  | {
      readonly type: 'turn.started';
      readonly turn: string;
      readonly kind: TurnKind;
      /** Ids of the messages that no turn has ended with yet, in order of arrival. */
      readonly messages: readonly string[];
    }
  /** The turn is interrupted; its later events are refused. */
  | { readonly type: 'turn.aborted'; readonly turn: string }
  | {
      readonly type: 'timer.scheduled';
      readonly state: string;
      readonly event: string;
      readonly at: number;
    }
  | { readonly type: 'timer.failed'; readonly code: string; readonly message: string }
  | { readonly type: 'todo.marked'; readonly todo_id: string; readonly status: TodoStatus }
  | EventRefused
  | ({ readonly type: 'instance.ended' } & LifecycleOutput);

/** An event that changed nothing. */
export interface EventRefused {
  readonly type: 'event.refused';
  readonly event: string;
  readonly state: string;
  /** Why, for programs: `event/not-accepted`, `message/too-long` ... */
  readonly code: string;
  /** The same in a sentence. */
  readonly because: string;
  /** The events that rows of the present state wait for. */
  readonly accepts: readonly string[];
}

/** What an instance leaves behind. */
export type LifecycleOutput = {
  readonly instance: string;
  readonly state: string;
  readonly end_reason: string | null;
  readonly failure_reason: string | null;
  /** What the operator gave as a reason for cancelling. */
  readonly cancel_reason: string | null;
  readonly follow_up_count: number;
  readonly turns: number;
  readonly todos: readonly Todo[];
};

/** The actor's input. */
export interface LifecycleInput {
  /** The instance's id; part of every id and key it gives out. `instance` when left out. */
  readonly instance?: string;
  /** The event that creates it, where the table tells several apart. */
  readonly event?: string;
  /** Another instance holds the contact, so this one waits its turn. */
  readonly queued?: boolean;
  /** Instead of the definition's own. */
  readonly heartbeat_config?: Partial<HeartbeatConfig>;
  /** A checklist that the agent marks. Ids are `todo-1`, `todo-2` ... where they are left out. */
  readonly todos?: readonly {
    readonly id?: string;
    readonly text: string;
    readonly status?: TodoStatus;
  }[];
}
