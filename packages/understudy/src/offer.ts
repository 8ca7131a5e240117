import type { Field } from './field.ts';
import { readYesNo } from './reading/yes-no.ts';

/** How many answers to one question must be unreadable before alternatives are offered. */
const attemptsBefore = 3;

const skip = 'say "skip" to leave this out';
const person = 'say "person" to talk to a person';

/** What a person may do instead of answering, after several attempts. */
export function offerAfter(attempts: number, maySkip: boolean): string | undefined {
  if (attempts < attemptsBefore) return undefined;
  return maySkip ? `You can also ${skip}, or ${person}.` : `You can also ${person}.`;
}

export function offersPerson(line: string): boolean {
  return line.includes(person);
}

/** Whether the message ("yes please") accepts an offer. It may be an answer if the field is a yes-or-no question. */
export function acceptsOffer(message: string, field: Field): boolean {
  return field.kind.kind !== 'yes-no' && message.length < 40 && readYesNo(message) === true;
}
