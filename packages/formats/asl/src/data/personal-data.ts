import { type Match, mostMatches } from './linear-pattern.ts';

/** Each looks at a bounded number of characters from where it begins, so that a search is linear in the text. */
const patterns: Readonly<Record<string, RegExp>> = {
  email: /[\w.%+-]{1,64}@[A-Za-z\d-]{1,63}(?:\.[A-Za-z\d-]{1,63}){1,8}/g,
  phone: /(?<![\d-])\+?\d[\d ().-]{6,18}\d(?![\d-])/g,
  ssn: /\b\d{3}-\d{2}-\d{4}\b/g,
  credit_card: /\b\d(?:[ -]?\d){12,18}\b/g,
  ip_address: /\b\d{1,3}(?:\.\d{1,3}){3}\b/g,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g,
};

/** What can be told from any other text by its form. */
export const personalDataKinds: readonly string[] = Object.keys(patterns);

export function personalData(text: string, kinds: readonly string[]): Match[] {
  const found: Match[] = [];
  for (const kind of kinds) {
    const pattern = Object.hasOwn(patterns, kind) ? patterns[kind] : undefined;
    if (!pattern) continue;
    for (const match of text.matchAll(pattern)) {
      if (kind === 'credit_card' && !isCardNumber(match[0])) continue;
      found.push({ start: match.index, end: match.index + match[0].length, kind });
      if (found.length === mostMatches) return found;
    }
  }
  return found;
}

/** Luhn's sum, which cards have and other long numbers mostly have not. */
function isCardNumber(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '').split('').toReversed().map(Number);
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
