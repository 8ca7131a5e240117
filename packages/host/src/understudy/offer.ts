import type { Field } from './field.ts';
import { readYesNo } from './reading/yes-no.ts';

/** So many answers to one question have to be unreadable before something else than an answer is offered. */
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

/** "Yes please", to an offer: no answer to a question that is not about yes or no. */
export function acceptsOffer(message: string, field: Field): boolean {
  return field.kind.kind !== 'yes-no' && message.length < 40 && readYesNo(message) === true;
}
