import { isRecord, type Json, type PortName } from '@dramaturg/compiler';
import type { MessageRole, Source } from './event.ts';

/** A letter in the outbox of an instance. */
export type OutboxLetter = CallLetter | MessageLetter | FamilyLetter | ContinuationLetter;

/** An open call. Its input is in the snapshot of the machine. */
type CallLetter = {
  readonly kind: 'call';
  readonly port: PortName;
  /** When it was decided, in milliseconds since 1970 UTC. Letters of earlier releases do not have it. */
  readonly at?: number;
};

export type MessageLetter = {
  readonly kind: 'message';
  /** The id of the message: the same at each delivery attempt. */
  readonly message: string;
  readonly role: MessageRole;
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** The name of the person who has written it by hand, if given. */
  readonly by?: string;
  /** For a message by hand: it answers the lines before this index. */
  readonly upTo?: number;
  /** Sent because the contact was silent. */
  readonly isReminder?: true;
  /** The destination of a notice. All other messages go to the contact. */
  readonly to?: { readonly channel: string; readonly address: string };
};

/** A letter between parent and child. */
export type FamilyLetter =
  /** To the child: it is started for the call, unless it exists. A child that has ended reports its ending again. */
  | {
      readonly kind: 'child';
      readonly id: string;
      readonly call: string;
      readonly definition: string;
    }
  /** To the child: its parent no longer waits. */
  | { readonly kind: 'abandon'; readonly id: string }
  /** To an instance that is started because this one has ended, unless it exists. No call waits for it. */
  | {
      readonly kind: 'start';
      readonly id: string;
      readonly definition: string;
      readonly input: Json;
    }
  /** To the parent: the child has ended, and so answers the call. */
  | { readonly kind: 'ended'; readonly parent: string; readonly call: string };

/** To the instance itself: it has work left that waits for no input, and continues in another step (H9). */
export type ContinuationLetter = { readonly kind: 'continuation' };

/** The id of this letter. */
export const continuation = 'continuation';

export function isFamilyLetter(body: unknown): body is FamilyLetter {
  return isRecord(body) && ['child', 'abandon', 'start', 'ended'].includes(String(body['kind']));
}

/** The letter of a call. Keys are unique only within one machine, hence the source. */
export function callLetter(source: Source, key: string): string {
  return `${source}:${key}`;
}

/** The reason why a host without channels refuses a message. */
export const noChannels = 'The host has no channels.';

/** The route of a message: to the contact, or the notices of a channel. Messages of one route are sent one after another. */
export function routeOf({ to }: MessageLetter): string {
  return to?.channel ?? '';
}

/**
 * The messages that may be sent now. Messages of the agent wait while a person has the conversation or has just answered, because
 * they may be dropped.
 */
export function sendableNow<Message extends { readonly body: MessageLetter }>(
  messages: readonly Message[],
  isClaimed: boolean,
): readonly Message[] {
  const isPersonThere = isClaimed || messages.some(({ body }) => body.upTo !== undefined);
  return isPersonThere ? messages.filter(({ body }) => body.role !== 'agent') : messages;
}

export function messageLetter(id: string): string {
  return `message:${id}`;
}
