import type {
  ConversationEmitted as Emitted,
  ConversationEnded,
  Opening,
  StateEntered,
  TurnFailed,
} from '@dramaturg/compiler/format';

/** The events of every conversation whose fields no format adds to. */
export type ConversationEmitted =
  | Exclude<Emitted, StateEntered | TurnFailed | ConversationEnded>
  | { readonly type: 'summary.written'; readonly text: string };

/** An event of a format. */
export type Event<Type extends string, Fields> = { readonly type: Type } & Readonly<Fields>;

/** The data that every conversation keeps. It does not grow with the conversation: messages are in its log. */
export interface ConversationContext {
  /** The conversation's id, from the actor's input. */
  readonly conversation: string;
  /** Who speaks first. */
  readonly opening: Opening;
  /** Number of turns that have begun; part of every idempotency key. */
  readonly turn: number;
  /** Number of messages in the conversation's log, of both sides. */
  readonly messages: number;
  /** The person's message being answered, also while a failed turn rests; null while the actor waits. */
  readonly message: string | null;
  /** The message does not answer the open question. */
  readonly early?: true | undefined;
  /** Messages whose reply was dropped for a newer message: the next reply answers them, too. */
  readonly superseded?: string | undefined;
  /** What was said in the first messages, and how many of them models no longer get. */
  readonly summary?: string | undefined;
  readonly folded?: number | undefined;
  /** Another message follows before the agent replies. */
  readonly more?: true | undefined;
  /** The question of the last reply, and the one before the message that it answers. `pending`: the question was not sent. */
  readonly asked?:
    | { readonly before?: string; readonly now?: string; readonly pending?: true }
    | undefined;
  /** Messages that came while another was being answered, in order. */
  readonly inbox: readonly string[];
}

/** A conversation that has not begun. */
export const freshConversation = { turn: 0, messages: 0, message: null, inbox: [] as const };

/** The event that a guard or an action handles. Internal events are read field by field, hence the open shape. */
export interface HandledEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Reads an own field of a record: keys come from definitions, and `constructor` is a name like any other. */
export function own<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The fields that have a value. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Fields>;
}

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
