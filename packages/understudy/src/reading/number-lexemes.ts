/** A token for reading numbers: a number in digits, a word, or a sign. */
export interface Lexeme {
  /** The text in lower case. */
  readonly text: string;
  /** Set when it is a number in digits. */
  readonly value?: number;
  /** Set when it is a common fraction, which may also follow a whole number: 2½. */
  readonly fraction?: number;
  readonly start: number;
  readonly end: number;
}

const fractions = new Map([
  ['½', 0.5],
  ['¼', 0.25],
  ['¾', 0.75],
  ['1/2', 0.5],
  ['1/4', 0.25],
  ['3/4', 0.75],
]);

/** The text of the lexeme at an index; empty past the end. */
export function wordAt(lexemes: readonly Lexeme[], index: number): string {
  return lexemes[index]?.text ?? '';
}

/** Cuts a text into numbers, words and signs. Digits inside a name, as in B12 or 2nd, are not numbers. */
export function lexemesOf(text: string): Lexeme[] {
  const pattern =
    /[½¼¾]|[134]\/[24](?![\d/])|\.?\d+|[\p{L}\p{M}]+(?:['’]\p{L}+)*|[^\s\p{L}\p{M}\d]/gu;
  const lexemes: Lexeme[] = [];
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const start = match.index;
    const fraction = fractions.get(match[0]);
    if (fraction !== undefined) {
      lexemes.push({ text: match[0], value: fraction, fraction, start, end: pattern.lastIndex });
    } else if (/\d/u.test(match[0])) {
      const number = digitsAt(text, start);
      pattern.lastIndex = number.end;
      lexemes.push({
        text: text.slice(start, number.end),
        start: isNegative(text, start) ? start - 1 : start,
        ...number,
      });
    } else {
      lexemes.push({
        text: match[0].toLowerCase().replaceAll('’', "'"),
        start,
        end: pattern.lastIndex,
      });
    }
  }
  return lexemes;
}

/** Longer runs of digits are not read as numbers. This also bounds the work of each pattern below. */
const longestNumber = 40;

/** Thousands in groups of three, decimals after a point, or after a comma when one or two digits follow it. */
const spellings = [
  /^\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|^\d{1,3}(?:\.\d{3}){2,}(?!\d)/u,
  /^\d{1,3}(?:[,'’\u00a0\u202f\u2009]\d{3})+(?!\d)(?:\.\d+)?/u,
  /^\d+,\d{1,2}(?![\d,])/u,
  /^\d+(?:\.\d+)?/u,
  /^\.\d+/u,
];

function digitsAt(text: string, start: number): { readonly value?: number; readonly end: number } {
  const piece = text.slice(start, start + longestNumber);
  const spelling = spellings.findIndex((candidate) => candidate.test(piece));
  const digits = spellings[spelling]?.exec(piece)?.[0] ?? piece;
  let end = start + digits.length;
  // A longer run of digits is one lexeme without a value.
  if (digits.length === longestNumber) {
    while (/\d/u.test(text[end] ?? '')) end += 1;
    return { end };
  }
  const suffix = /^\p{L}{0,8}/u.exec(text.slice(end, end + 8))?.[0].toLowerCase() ?? '';
  const inName = /[\p{L}\p{M}]/u.test(text[start - 1] ?? '');
  const goesOn = suffix !== '' && /\d/u.test(text[end + suffix.length] ?? '');
  if (inName || goesOn || ['st', 'nd', 'rd', 'th'].includes(suffix)) return { end };
  const size = Number(withPoint(digits, spelling)) * (suffix === 'k' ? 1_000 : 1);
  return { value: isNegative(text, start) ? -size : size, end: suffix === 'k' ? end + 1 : end };
}

/** The digits in the form of a JSON number. */
function withPoint(digits: string, spelling: number): string {
  if (spelling === 0) return digits.replaceAll('.', '').replace(',', '.');
  return spelling === 2
    ? digits.replace(',', '.')
    : digits.replace(/[,'’\u00a0\u202f\u2009]/gu, '');
}

/** Whether a minus is directly before the digits and does not join them to other text ("2-3", "covid-19"). */
function isNegative(text: string, start: number): boolean {
  if (!['-', '−'].includes(text[start - 1] ?? '')) return false;
  return !/[\p{L}\p{N}\-−]/u.test(text[start - 2] ?? ' ');
}
