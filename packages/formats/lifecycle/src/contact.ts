import type { LifecycleContext } from './context.ts';

/** What several instances with one contact have to agree on. It is for whoever holds them all: a host. */

/**
 * A contact's address as it is compared: `+56 9 1234 5678`, `0056 9 1234-5678` and `56912345678` are one. What is no
 * telephone number is compared as it is written, but for capitals and space around it.
 */
export function contactKey(written: string): string {
  const text = written.trim();
  const digits = text.replace(/\D/g, '');
  if (digits === '' || !/^\+?[\d\s().-]+$/.test(text)) return text.toLowerCase();
  return `+${text.startsWith('+') ? digits : digits.replace(/^00/, '')}`;
}

/**
 * Which instance of a contact's line has its turn: the first that waits in `queue`, once none holds the contact. An
 * instance that was paused while it waited keeps its place and is passed over.
 *
 * @param line the instances in the order in which they were created; those that have ended may be among them
 * @param queue the state in which instances wait their turn
 * @returns the place in the line, or undefined when nobody is to be called
 */
export function nextInLine(
  line: readonly Pick<LifecycleContext, 'state' | 'holds_contact'>[],
  queue = 'QUEUED',
): number | undefined {
  if (line.some(({ holds_contact }) => holds_contact)) return undefined;
  const place = line.findIndex(({ state }) => state === queue);
  return place < 0 ? undefined : place;
}
