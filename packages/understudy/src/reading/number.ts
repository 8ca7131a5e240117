import { listed } from './words.ts';
import { numberAbroad } from './number-abroad.ts';

/** A number in a text, with its position. */
export interface NumberReading {
  readonly value: number;
  readonly start: number;
  readonly end: number;
}

/** English numbers below twenty. */
export const small = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, value) => [word, value]),
);

/** The number that one word means, in any of the languages. */
export function numberWord(word: string): number | undefined {
  return small.get(word.toLowerCase()) ?? numberAbroad(word);
}

const tens = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index) => [word, 20 + 10 * index]),
);
const times = new Map(Object.entries({ once: 1, twice: 2, thrice: 3 }));
const scales = new Map(
  Object.entries({
    hundred: 100,
    thousand: 1e3,
    grand: 1e3,
    million: 1e6,
    billion: 1e9,
    dozen: 12,
  }),
);
const signs = listed('minus negative');

/** After these words, "one" is a pronoun: "this one", "no one". */
const beforePronoun = listed(
  'no this that the which any every another some each last next first second third fourth fifth only other',
);

/** "a few hundred" is too vague to be a number. */
const vague = listed('few several many');

/** Every number of the text in order, in digits or in English words. */
export function readNumbers(text: string): NumberReading[] {
  const lexemes = lexemesOf(text);
  const numbers: NumberReading[] = [];
  for (let at = 0; at < lexemes.length;) {
    const found = numberAt(lexemes, at);
    const first = lexemes[at];
    const last = lexemes[(found?.next ?? 0) - 1];
    if (found === undefined || first === undefined || last === undefined) {
      at += 1;
      continue;
    }
    // Adding zero turns -0, which JSON does not have, into 0.
    const value = (signs.has(wordAt(lexemes, at - 1)) ? -found.value : found.value) + 0;
    if (Number.isFinite(value)) numbers.push({ value, start: first.start, end: last.end });
    at = found.next;
  }
  return numbers;
}

interface Parsed {
  readonly value: number;
  /** The index of the first lexeme after the number. */
  readonly next: number;
}

function numberAt(lexemes: readonly Lexeme[], at: number): Parsed | undefined {
  const whole = wholeAt(lexemes, at);
  if (whole === undefined) return undefined;
  return scaled(lexemes, fractioned(lexemes, whole));
}

/** Digits, or words up to a whole number: "a hundred and five", "twenty-five thousand". */
function wholeAt(lexemes: readonly Lexeme[], at: number): Parsed | undefined {
  const start = headAt(lexemes, at);
  if (start === undefined) return undefined;
  let { value: current, next } = start;
  let total = 0;
  let lastScale = Infinity;
  for (;;) {
    const scale = scales.get(wordAt(lexemes, next));
    if (scale === undefined || scale >= lastScale) break;
    next += 1;
    if (scale < 1e3) {
      current *= scale;
    } else {
      total += current * scale;
      current = 0;
      lastScale = scale;
    }
    // "A hundred and five" continues after its "and"; "two and three" are two numbers.
    const rest = belowHundred(lexemes, wordAt(lexemes, next) === 'and' ? next + 1 : next);
    if (rest === undefined || scale === 12) continue;
    current += rest.value;
    next = rest.next;
  }
  return { value: total + current, next };
}

function headAt(lexemes: readonly Lexeme[], at: number): Parsed | undefined {
  const lexeme = lexemes[at];
  if (lexeme?.value !== undefined) return { value: lexeme.value, next: at + 1 };
  const word = wordAt(lexemes, at);
  const isOnly =
    wordAt(lexemes, at - 1) === 'the' && /^(?:just|only)$/u.test(wordAt(lexemes, at - 2));
  if (
    word === 'one' &&
    !isOnly &&
    (beforePronoun.has(wordAt(lexemes, at - 1)) ||
      wordAt(lexemes, at - 2) === 'the' ||
      wordAt(lexemes, at + 1) === 'of' ||
      (wordAt(lexemes, at + 1) === 'person' &&
        /^(?:is|has|can|needs)/u.test(wordAt(lexemes, at + 2))))
  )
    return undefined;
  if (times.has(word)) return { value: times.get(word) ?? 0, next: at + 1 };
  const article = word === 'a' || word === 'an' ? 1 : 0;
  const noun = wordAt(lexemes, at + article);
  // The half of "an hour and a half" belongs to a number that is not written.
  if (article === 1 && wordAt(lexemes, at - 1) === 'and') return undefined;
  if (word === 'three' && wordAt(lexemes, at + 1) === 'quarters')
    return { value: 0.75, next: at + 2 };
  // "Half of what I sent" is not known.
  if (/^(?:half|third|quarter)$/u.test(noun) && wordAt(lexemes, at + article + 1) === 'of')
    return undefined;
  if (noun === 'half') return halfAt(lexemes, at + article);
  if (article === 1 && noun === 'quarter') return { value: 0.25, next: at + 2 };
  if (article === 1 && noun === 'couple') return { value: 2, next: at + 2 };
  if (scales.has(noun))
    return vague.has(wordAt(lexemes, at - 1)) ? undefined : { value: 1, next: at + article };
  return article === 1 ? undefined : (abroadAt(lexemes, at) ?? belowHundred(lexemes, at));
}

/** The longest number in another language: "quarante-deux", "cuarenta y dos". */
function abroadAt(lexemes: readonly Lexeme[], at: number): Parsed | undefined {
  let found: Parsed | undefined;
  let said = '';
  for (let next = at; next < at + longestAbroad && next < lexemes.length; next += 1) {
    said = `${said} ${wordAt(lexemes, next)}`.replace(/ -$/u, '').trimStart();
    const value = numberAbroad(said);
    if (value !== undefined) found = { value, next: next + 1 };
  }
  return found;
}

const longestAbroad = 7;

function halfAt(lexemes: readonly Lexeme[], at: number): Parsed | undefined {
  const before = wordAt(lexemes, at - 1);
  if ((before === 'a' ? wordAt(lexemes, at - 2) : before) === 'and') return undefined;
  const article = wordAt(lexemes, at + 1);
  const ofScale = (article === 'a' || article === 'an') && scales.has(wordAt(lexemes, at + 2));
  return { value: 0.5, next: ofScale ? at + 2 : at + 1 };
}

function belowHundred(lexemes: readonly Lexeme[], at: number): Parsed | undefined {
  const word = wordAt(lexemes, at);
  const unit = small.get(word);
  if (unit !== undefined) return { value: unit, next: at + 1 };
  const ten = tens.get(word);
  if (ten === undefined) return undefined;
  const unitAt = lexemes[at + 1]?.text === '-' ? at + 2 : at + 1;
  const rest = small.get(wordAt(lexemes, unitAt)) ?? 0;
  return rest >= 1 && rest <= 9
    ? { value: ten + rest, next: unitAt + 1 }
    : { value: ten, next: at + 1 };
}

// cspell:disable-next-line
const partSaid =
  /^(?:and (?:a )?(half|quarter|three quarters)|et demie?|y medi[ao]|e mezz[ao]|e mei[ao])\b/u;

/** "two and a half", "two point five", "2½". */
function fractioned(lexemes: readonly Lexeme[], whole: Parsed): Parsed {
  const { value, next } = whole;
  const fraction = lexemes[next]?.fraction;
  if (fraction !== undefined) return { value: value + fraction, next: next + 1 };
  const words = [0, 1, 2].map((offset) => wordAt(lexemes, next + offset)).join(' ');
  const [said = '', size = ''] = partSaid.exec(words) ?? [];
  const part = { quarter: 0.25, 'three quarters': 0.75 }[size] ?? 0.5;
  if (said !== '') return { value: value + part, next: next + said.split(' ').length };
  if (wordAt(lexemes, next) !== 'point') return whole;
  let digits = '';
  while (digits.length < 12 && (small.get(wordAt(lexemes, next + 1 + digits.length)) ?? 10) < 10) {
    digits += String(small.get(wordAt(lexemes, next + 1 + digits.length)));
  }
  return digits === ''
    ? whole
    : { value: Number(`${value}.${digits}`), next: next + 1 + digits.length };
}

/** "two and a half thousand". */
function scaled(lexemes: readonly Lexeme[], { value, next }: Parsed): Parsed {
  const scale = scales.get(wordAt(lexemes, next));
  return scale === undefined || Number.isInteger(value)
    ? { value, next }
    : { value: value * scale, next: next + 1 };
}

/** A token for reading numbers: a number in digits, a word, or a sign. */
interface Lexeme {
  /** The text in lower case. */
  readonly text: string;
  /** Set when it is a number in digits. */
  readonly value?: number;
  /** Set when it is a common fraction, which may also follow a whole number: 2½. */
  readonly fraction?: number;
  readonly start: number;
  readonly end: number;
}

const fractions = new Map(
  Object.entries({ '½': 0.5, '¼': 0.25, '¾': 0.75, '1/2': 0.5, '1/4': 0.25, '3/4': 0.75 }),
);

/** The text of the lexeme at an index; empty past the end. */
function wordAt(lexemes: readonly Lexeme[], index: number): string {
  return lexemes[index]?.text ?? '';
}

/** Cuts a text into numbers, words and signs. Digits inside a name, as in B12 or 2nd, are not numbers. */
function lexemesOf(text: string): Lexeme[] {
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
  /^\d{1,3}(?:\.\d{3})+(?:,\d{1,2}(?!\d)|(?=,[-–—]|\s?(?:€|(?:euros?|eur|km|kwh)\b)))|^\d{1,3}(?:\.\d{3}){2,}(?!\d)/u,
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
