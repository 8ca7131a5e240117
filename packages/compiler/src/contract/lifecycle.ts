/** The contract of every lifecycle format with a host. See docs/contract.md. */

export type LifecycleInput = {
  /** The instance's id; part of every id and key that it creates. `instance` when left out. */
  readonly instance?: string;
  /** The event that creates the instance, if the table has several such events. */
  readonly event?: string;
  /** Another instance holds the contact, so this one waits. */
  readonly queued?: boolean;
  /** The time zone of the contact. */
  readonly time_zone?: string;
  /** The policies of the instance that has called or started this one, which count where it has none of its own. */
  readonly caller?: Readonly<Record<string, unknown>>;
};

/** The events that a host sends, besides those of people and of the definition's own table. `turn` is the id of a turn. */
export type LifecycleEvent =
  /** The contact has written. An id that was received before is refused. */
  | { readonly type: 'message.received'; readonly id?: string; readonly text?: string }
  | { readonly type: 'cancel'; readonly reason?: string }
  /** The channel has accepted a message that an operator wrote by hand. */
  | { readonly type: 'manual_send'; readonly id?: string; readonly text?: string }
  /** Another instance holds the contact. */
  | { readonly type: 'contact_has_active_instance' }
  /** No other instance holds the contact any more, and this one is the first in the queue of the contact. */
  | { readonly type: 'prior_instance_terminal' }
  | TurnEvent
  /** The host has started again and the agent's turn is lost. `stopped_at` is when it was last alive. */
  | { readonly type: 'instance.recovered'; readonly stopped_at?: number };

/** Events of a turn of the agent. */
export type TurnEvent =
  /** The agent has composed a message. */
  | {
      readonly type: 'agent.replied';
      readonly turn: string;
      readonly id?: string;
      readonly text?: string;
    }
  /** The agent has ended the conversation. */
  | { readonly type: 'agent.ended'; readonly turn: string; readonly reason?: string }
  /** The conversation has ended outside of a turn, such as by an update. */
  | {
      readonly type: 'conversation.ended' | 'conversation.moved' | 'conversation.flagged';
      readonly reason?: string;
    }
  /** The agent asks for a person. */
  | { readonly type: 'agent.flagged'; readonly turn: string; readonly reason?: string }
  /** The agent chooses the next delay of the heartbeat. */
  | { readonly type: 'agent.rescheduled'; readonly turn: string; readonly delay_ms: number }
  /** The agent chooses it as a local time in the zone of the contact, such as `2026-10-24T09:00`. */
  | { readonly type: 'agent.rescheduled'; readonly turn: string; readonly at: string }
  | {
      readonly type: 'todo.marked';
      readonly turn: string;
      readonly todo_id: string;
      readonly status: TodoStatus;
    }
  /** The running turn also takes the waiting messages. */
  | { readonly type: 'turn.extended'; readonly turn: string }
  /**
   * The turn is over. The instance leaves its state only after this. `awaits`: the turn was silent because the contact has the
   * first word.
   */
  | { readonly type: 'turn.ended'; readonly turn: string; readonly awaits?: 'contact' }
  | {
      readonly type: 'turn.failed';
      readonly turn: string;
      readonly reason?: string;
      /** False when no retry can succeed. */
      readonly recoverable?: boolean;
    };

export type TodoStatus = 'pending' | 'in_progress' | 'completed' | 'skipped';

/** The events that a host acts on. A format adds its own. */
export type LifecycleEmitted =
  | StateEntered
  | MessageRecorded
  | MessageSendRequested
  | TurnStarted
  | TurnAborted
  | InboxCleared
  | EventRefused
  | InstanceEnded;

export type StateEntered = {
  readonly type: 'state.entered';
  readonly state: string;
  /** The state that was left; absent for the first state. */
  readonly from?: string;
  readonly holds_contact: boolean;
};

/** A message that belongs in the conversation's log. */
export type MessageRecorded = {
  readonly type: 'message.recorded';
  readonly role: 'contact' | 'manual';
  readonly id: string;
  readonly text?: string;
};

/** The channel must send a message. After a crash the event repeats with the same `id`. */
export type MessageSendRequested = {
  readonly type: 'message.send.requested';
  readonly role: 'agent' | 'manual';
  readonly id: string;
  readonly text?: string;
  /** For a message of the agent: its turn, and its index in the turn. */
  readonly turn?: string;
  readonly index?: number;
};

export type TurnStarted = {
  readonly type: 'turn.started';
  readonly turn: string;
  /** Why the agent has a turn, in a word of the format. */
  readonly kind: string;
  /** How many messages the turn takes: the oldest that no finished turn has taken. */
  readonly messages: number;
  /** The turn's text, if the author has written it: the agent is not asked. */
  readonly text?: string;
};

/** The turn is interrupted; its later events are refused. */
export type TurnAborted = { readonly type: 'turn.aborted'; readonly turn: string };

/** The waiting messages were answered by other means: no turn receives them. */
export type InboxCleared = { readonly type: 'inbox.cleared'; readonly messages: number };

/** An event that changed nothing. */
export type EventRefused = {
  readonly type: 'event.refused';
  readonly event: string;
  readonly state: string;
  /** Why, for programs: `event/not-accepted`, `message/too-long` ... */
  readonly code: string;
  /** Why, in a sentence for people. */
  readonly because: string;
  /** The events that the current state accepts. */
  readonly accepts: readonly string[];
};

/** The last event. Its fields are the output of the actor. */
export type InstanceEnded = { readonly type: 'instance.ended' } & LifecycleOutput;

export type LifecycleOutput = {
  readonly instance: string;
  /** The last state. */
  readonly state: string;
  readonly end_reason: string | null;
  readonly failure_reason: string | null;
  /** The reason that the operator gave for cancelling. */
  readonly cancel_reason: string | null;
};
