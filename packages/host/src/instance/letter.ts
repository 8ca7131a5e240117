import type { PortName } from '@dramaturg/compiler';
import type { KinLetter } from './children.ts';
import type { Source } from './event.ts';

/** What lies in the outbox of an instance: calls that are being made, and messages for its channel. */
export type OutboxLetter = CallLetter | MessageLetter | KinLetter;

/** The call itself stands in the snapshot of the machine that makes it. */
type CallLetter = { readonly kind: 'call'; readonly port: PortName };

export type MessageLetter = {
  readonly kind: 'message';
  /** The same whenever it is handed to the channel. */
  readonly message: string;
  readonly role: MessageRole;
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Of a notice: where it goes, which is not to the contact. */
  readonly to?: { readonly channel: string; readonly address: string };
};

/** A notice tells somebody else than the contact of a decision that is open. */
export type MessageRole = 'agent' | 'manual' | 'notice';

/** Keys are unique in their machine only. */
export function callLetter(source: Source, key: string): string {
  return `${source}:${key}`;
}

export function messageLetter(id: string): string {
  return `message:${id}`;
}
