import { isGreeting, withoutGreeting } from './greeting.ts';
import { readEmail, readPhone, readUrl } from './contact-data.ts';
import { readDate, readExactDate, readTime } from './date.ts';
import { readIdentifiers } from './identifier.ts';
import { isNoName, readName } from './name.ts';
import { phraseOf } from './phrase.ts';
import { answeringPart } from './question-back.ts';

/** The kinds of text that are read differently. An exact date or time has the form of JSON Schema's formats. */
export type TextKind =
  | 'any'
  | 'name'
  | 'place'
  | 'email'
  | 'phone'
  | 'url'
  | 'date'
  | 'exact-date'
  | 'exact-time'
  | 'identifier';

/** What a question with a free-text answer asks for. */
export interface TextRequest {
  readonly kind: TextKind;
  /** Whether it asks for a request or a question, so that a question is an answer and not a question back. */
  readonly question: boolean;
}

/** Longer answers are cut, because stored values are bounded. */
const longestText = 10_000;

/**
 * Reads the message as an answer in free text: without greeting, lead-in and full stop, otherwise as written.
 *
 * @returns undefined when the text is not of the requested kind
 */
export function readText(message: string, { kind, question }: TextRequest): string | undefined {
  const answering = answeringPart(wellFormed(message.slice(0, longestText)), question).trim();
  if (answering === '' || isGreeting(answering)) return undefined;
  if (kind === 'name') return readPersonName(answering);
  if (kind === 'place' && isNoPlace(answering)) return undefined;
  if (kind !== 'any' && kind !== 'place') return readers[kind](answering);
  const text = withoutFullStop(withoutLeadIn(withoutGreeting(answering), kind === 'place'));
  return text === '' || (text.length < 40 && saysNothing.test(text)) ? undefined : text;
}

/** Sounds and courtesies do not answer any question. */
const saysNothing =
  /^\W*(?:ok|okay|okey|thanks|thank you|thx|hm+|um+|uh+|er+|oh|ah|well|so|please|lol|help)?\W*$/iu;

/** Readers of the kinds that have a recognisable form. */
const readers: Readonly<
  Record<Exclude<TextKind, 'any' | 'name' | 'place'>, (text: string) => string | undefined>
> = {
  email: readEmail,
  phone: readPhone,
  url: readUrl,
  date: readDate,
  'exact-date': readExactDate,
  'exact-time': readTime,
  identifier: (text) => readIdentifiers(text)[0]?.text,
};

function readPersonName(answering: string): string | undefined {
  // A single word needs no search for a name in it.
  if (!/\s/u.test(answering) && isNoName(answering.replace(/[.!,]{1,9}$/u, ''))) return undefined;
  const name = readName(withoutGreeting(answering));
  if (name !== undefined) return name;
  const bare = withoutFullStop(withoutLeadIn(withoutGreeting(answering), false)).replace(
    /\s(?:here|speaking|calling|is my name|(?:from|at)\s.{1,60})$/iu,
    '',
  );
  return isNoName(bare) ? undefined : bare;
}

/** Whether the text cannot be a place: it has no letters, or is only a yes, a no or the like. */
function isNoPlace(text: string): boolean {
  const phrase = phraseOf(text.slice(0, 200));
  return (
    !/\p{L}/u.test(text) ||
    /^(?:yes|yeah|yep|no|nope|nah|ok|okay|none|what|sure|maybe|help)$/u.test(phrase)
  );
}

const it = /^(?:it['’]?s|it is|that['’]?s|that is|that would be|it would be)\s+(?=\S)/iu;
const place =
  /^(?:i['’]?m|i am|i come|i live|i['’]?m living|i am living|living|we live|we['’]?re)\s+(?:originally |currently |based )?(?:from|in)\s+(?=\S)/iu;

const placeNamed =
  /\b(?:i['’]?m|i am|i come|i live|we live|i['’]m living|we['’]re|i['’]m based|living|based) (?:originally |currently |based )?(?:from|in) (\p{Lu}[\p{L}'’-]{1,40}(?: \p{Lu}[\p{L}'’-]{1,40}){0,3})/u;

/** The place that a person names as their own: "I live in New York". */
export function readPlaceNamed(text: string): string | undefined {
  return placeNamed.exec(text.slice(0, 1_000).replaceAll(/\bI(?=['’ ])/gu, 'i'))?.[1];
}

/** With more words, "it's ..." is a sentence and not a lead-in. */
const shortAnswer = 4;

function withoutLeadIn(text: string, isPlace: boolean): string {
  if (isPlace && place.test(text)) return text.replace(place, '');
  const rest = text.replace(it, '');
  return rest.split(/\s+/u, shortAnswer + 1).length <= shortAnswer ? rest : text;
}

const abbreviation = /(?:\b(?:dr|mr|mrs|ms|st|jr|sr|prof|inc|ltd|co|etc)|\.\p{L}|\b\p{L})\.$/iu;

/** Removes a full stop, comma or exclamation mark at the end. The dots of "Jr.", "p.m." and "..." stay. */
function withoutFullStop(text: string): string {
  const trimmed = text.trim();
  if (abbreviation.test(trimmed.slice(-8)) || trimmed.endsWith('..')) return trimmed;
  let end = trimmed.length;
  while (end > 0 && /[.,;!\s]/u.test(trimmed[end - 1] ?? '')) end -= 1;
  return end === 0 ? trimmed : trimmed.slice(0, end);
}

/** Drops half of a surrogate pair at the end of a cut text. */
function wellFormed(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text.slice(-1)) ? text.slice(0, -1) : text;
}
