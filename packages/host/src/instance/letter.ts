import type { PortName } from '@dramaturg/compiler';
import type { FamilyLetter } from './children.ts';
import type { Source } from './event.ts';

/** A letter in the outbox of an instance. */
export type OutboxLetter = CallLetter | MessageLetter | FamilyLetter;

/** A call that is being made. Its input is in the snapshot of the machine. */
type CallLetter = { readonly kind: 'call'; readonly port: PortName };

export type MessageLetter = {
  readonly kind: 'message';
  /** The id of the message: the same at each delivery attempt. */
  readonly message: string;
  readonly role: MessageRole;
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** The destination of a notice. All other messages go to the contact. */
  readonly to?: { readonly channel: string; readonly address: string };
};

/** A `notice` informs somebody other than the contact about an open decision. */
export type MessageRole = 'agent' | 'manual' | 'notice';

/** Keys are unique within one machine only, hence the source. */
export function callLetter(source: Source, key: string): string {
  return `${source}:${key}`;
}

export function messageLetter(id: string): string {
  return `message:${id}`;
}
