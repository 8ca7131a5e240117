import { createHash } from 'node:crypto';

/** Texts of any length and alphabet become the left side of a Message-ID. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}

/** The Message-ID of a message: the same at each attempt, so that mailboxes recognise a repetition. Spec: RFC 5322, section 3.6.4 */
export function messageIdOf(message: string, domain: string): string {
  return `<${hashOf(message)}@${domain}>`;
}

/** Stands at the beginning of the thread of an instance, so that mail programs show its messages together. */
export function threadIdOf(instance: string, domain: string): string {
  return `<thread.${hashOf(instance)}@${domain}>`;
}
