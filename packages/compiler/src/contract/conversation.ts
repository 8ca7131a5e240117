import type { Json } from '../json.ts';

/** The contract of every conversation format with a host, the command, the workbench and the inspector. See docs/contract.md. */

/** Who speaks first in a conversation. */
export type Opening = 'agent' | 'person';

/** The part of the actor's input that all conversations share. */
export type ConversationInput = {
  /** The conversation's id; part of every idempotency key. */
  readonly conversation?: string;
  /** Who speaks first; the definition decides when left out. */
  readonly opening?: Opening;
};

/** Events that every conversation accepts. */
export type ConversationEvent =
  /** A message of the person. During a turn it waits in the inbox. */
  | MessageReceived
  /** Repeats the failed call of a turn, and continues the turn. Without a failed turn it has no effect. */
  | { readonly type: 'turn.retry' }
  /** A person returns the conversation: the agent says a line. */
  | { readonly type: 'turn.resume' }
  /** Ends the conversation immediately. */
  | { readonly type: 'cancel'; readonly reason?: string };

export type MessageReceived = {
  readonly type: 'message.received';
  readonly text: string;
  /**
   * Why the message may not answer the open question: it is `older`, it belongs to the `previous` question, or to an `other` one
   * before that. Spec: docs/events.md#early-messages
   */
  readonly early?: 'older' | 'previous' | 'other';
  /** Another message follows directly: the agent replies to both after that one. */
  readonly more?: true;
};

/** Events that every conversation emits. A format adds its own. */
export type ConversationEmitted =
  | StateEntered
  | MessageSent
  | MessageRefused
  | UpdateRefused
  | HelpRequested
  | TurnFailed
  | StartRequested
  | ConversationEnded;

export type StateEntered = {
  readonly type: 'state.entered';
  readonly state: string;
  readonly title: string;
  /** The state that was left; absent for the first state. */
  readonly from?: string;
};

export type MessageSent = {
  readonly type: 'message.sent';
  readonly text: string;
  /** Stays the same when the call is repeated after a crash. */
  readonly key: string;
  readonly state: string;
};

export type MessageRefused = { readonly type: 'message.refused'; readonly because: string };

/** A part of an answer or of an event that was not recorded. */
export type UpdateRefused = {
  readonly type: 'update.refused';
  /** A key, a task, a state, a field or a tool. */
  readonly what: string;
  readonly because: string;
  /** Present for a value that could not be checked, because the check took too much work. */
  readonly code?: 'value/not-checked';
  readonly state: string;
};

/** The agent asks for a human operator. */
export type HelpRequested = {
  readonly type: 'help.requested';
  readonly reason?: string;
  readonly state: string;
};

/** Asks to start something next. A host starts it, once for each key. */
export type StartRequested = {
  readonly type: 'start.requested';
  readonly key: string;
  readonly start: string;
  readonly input: Json;
};

export type TurnFailed = {
  readonly type: 'turn.failed';
  /** The port whose call failed; absent when the format itself gave up. */
  readonly port?: string;
  readonly code: string;
  readonly message: string;
  /** The person's message that is not answered yet. */
  readonly unanswered?: string;
};

/** The last event. Its fields are the output of the actor. */
export type ConversationEnded = { readonly type: 'conversation.ended' } & ConversationOutput;

export type ConversationOutput = {
  /** `completed`, `cancelled`, or an outcome of the format. */
  readonly outcome: string;
  /** The last state. */
  readonly state: string;
  /** Why the agent ended the conversation, if it did and gave a reason. */
  readonly reason?: string;
};
