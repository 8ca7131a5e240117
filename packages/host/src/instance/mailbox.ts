import { longestMessage } from '@dramaturg/compiler';

/** A message of the contact that the flow has not been given yet. */
export interface Message {
  readonly id: string;
  readonly text: string;
  /** A turn was started for it. */
  readonly isDue?: true;
}

/** Messages of the contact, in order of arrival. A message leaves the mailbox when the flow is given it: so it has it once. */
export type Mailbox = readonly Message[];

/**
 * Marks the messages that a turn was started for.
 *
 * @param ids of the messages; the mailbox has no more of those that the flow was given in an earlier turn
 */
export function withDue(mailbox: Mailbox, ids: readonly string[]): Mailbox {
  const named = new Set(ids);
  return mailbox.map((message) => (named.has(message.id) ? { ...message, isDue: true } : message));
}

/**
 * Joins the next messages that are due, one a line, so that the flow answers once. As many as fit in one message of a
 * conversation; the others stay for the next batch.
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
