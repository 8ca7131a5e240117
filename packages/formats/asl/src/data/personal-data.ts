import { bounded, type Match } from './matches.ts';

/** Each pattern has a bounded length, so that a search is linear in the text. */
const patterns: Readonly<Record<string, RegExp>> = {
  email: /[\w.%+-]{1,64}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){1,8}/g,
  phone: /(?<![\d-])\+?\d[\d ().-]{6,18}\d(?![\d-])/g,
  ssn: /\b\d{3}-\d{2}-\d{4}\b/g,
  credit_card: /\b\d(?:[ -]?\d){12,18}\b/g,
  ip_address: /\b\d{1,3}(?:\.\d{1,3}){3}\b/g,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g,
};

/** Kinds of personal data that have a distinct form. */
export const personalDataKinds: readonly string[] = Object.keys(patterns);

export function personalData(text: string, kinds: readonly string[]): Match[] {
  return kinds.flatMap((kind) => bounded(search(text, kind), text));
}

function* search(text: string, kind: string): Generator<Match> {
  const pattern = Object.hasOwn(patterns, kind) ? patterns[kind] : undefined;
  for (const { 0: found, index } of pattern ? text.matchAll(pattern) : []) {
    if (kind === 'credit_card' && !isCardNumber(found)) continue;
    yield { start: index, end: index + found.length, kind };
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
