import { bounded, type Match } from './matches.ts';
import { SearchBudget } from './search-budget.ts';

/** Each pattern has a bounded length, so that a search is linear in the text. */
const patterns: Readonly<Record<string, RegExp>> = {
  phone: /(?<![\d-])\+?\d[\d ().-]{6,18}\d(?![\d-])/g,
  ssn: /\b\d{3}-\d{2}-\d{4}\b/g,
  credit_card: /\b\d(?:[ -]?\d){12,18}\b/g,
  ip_address: /\b\d{1,3}(?:\.\d{1,3}){3}\b/g,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g,
};

/** Kinds of personal data that have a distinct form. */
export const personalDataKinds: readonly string[] = ['email', ...Object.keys(patterns)];

/** The most steps for a character that all searches take together. */
const stepsPerCharacter = 3.2;
/** The most characters of one piece of personal data. */
const longest = 1_000;

/** Finds personal data. When the steps are used up, the rest of the text counts as one match of the kind `unchecked`. */
export function personalData(
  text: string,
  kinds: readonly string[],
  budget = new SearchBudget(),
): Match[] {
  const length = Math.min(text.length, Math.floor(budget.stepsLeft / stepsPerCharacter));
  budget.stepsLeft -= length * stepsPerCharacter;
  const searched = length === text.length ? text : text.slice(0, length);
  const matches = kinds.flatMap((kind) => bounded(search(searched, kind), text));
  // A match that begins before the limit may end after it.
  if (length < text.length)
    matches.push({ start: Math.max(0, length - longest), end: text.length, kind: 'unchecked' });
  return matches;
}

function* search(text: string, kind: string): Generator<Match> {
  if (kind === 'email') yield* emails(text);
  const pattern = Object.hasOwn(patterns, kind) ? patterns[kind] : undefined;
  for (const { 0: found, index } of pattern ? text.matchAll(pattern) : []) {
    if (kind === 'credit_card' && !isCardNumber(found)) continue;
    yield { start: index, end: index + found.length, kind };
  }
}

const isOfLocalPart = /[\w.%+-]/;
const longestLocalPart = 64;

/**
 * Finds addresses by their `@`: a pattern that begins with the local part would read the same characters again for each
 * place where it may begin.
 */
function* emails(text: string): Generator<Match> {
  const domain = /[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){1,8}/y;
  let end = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const first = Math.max(end, at - longestLocalPart);
    let start = at;
    while (start > first && isOfLocalPart.test(text[start - 1]!)) start -= 1;
    domain.lastIndex = at + 1;
    if (start === at || !domain.test(text)) continue;
    end = domain.lastIndex;
    yield { start, end, kind: 'email' };
  }
}

/** The Luhn checksum. Card numbers have it; most other long numbers do not. */
function isCardNumber(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').split('').toReversed().map(Number);
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
