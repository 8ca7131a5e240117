import { longestMessage } from '@dramaturg/compiler';

/** A message of the contact that was not fed to the flow yet. */
export interface Message {
  readonly id: string;
  readonly text: string;
  /** A turn was started for the message. */
  readonly isDue?: true;
}

/** Messages of the contact, in order of arrival. A message leaves the mailbox when it is fed to the flow: so it is fed once. */
export type Mailbox = readonly Message[];

/**
 * Marks the messages that a turn was started for.
 *
 * @param ids of the messages; some may have left the mailbox in an earlier turn
 */
export function withDue(mailbox: Mailbox, ids: readonly string[]): Mailbox {
  const named = new Set(ids);
  return mailbox.map((message) => (named.has(message.id) ? { ...message, isDue: true } : message));
}

/**
 * Joins the next due messages, one per line, so that the flow answers once. Messages beyond the length limit of a message
 * stay for the next batch.
 *
 * @returns undefined when no message is due
 */
export function nextBatch(
  mailbox: Mailbox,
): { readonly text: string; readonly rest: Mailbox } | undefined {
  const batch: Message[] = [];
  let length = -1;
  for (const message of mailbox) {
    if (!message.isDue) continue;
    length += 1 + message.text.length;
    if (batch.length > 0 && length > longestMessage) break;
    batch.push(message);
  }
  if (batch.length === 0) return undefined;
  const taken = new Set(batch);
  return {
    text: batch.map(({ text }) => text).join('\n'),
    rest: mailbox.filter((message) => !taken.has(message)),
  };
}
