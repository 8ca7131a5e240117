import { type Lexeme, lexemesOf, wordAt } from './number-lexemes.ts';

/** A number in a text, with its position. */
export interface NumberReading {
  readonly value: number;
  readonly start: number;
  readonly end: number;
}

const small = new Map(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen`
    .split(/\s+/u)
    .map((word, value) => [word, value]),
);
const tens = new Map(
  'twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index) => [word, 20 + 10 * index]),
);
const times = new Map([
  ['once', 1],
  ['twice', 2],
  ['thrice', 3],
]);
const scales = new Map([
  ['hundred', 100],
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
  ['dozen', 12],
]);
const signs = new Set(['minus', 'negative']);

/** After these words, "one" is a pronoun: "this one", "no one". */
const beforePronoun = new Set(
  'no this that the which any every another some each last next first second third fourth fifth only other'.split(
    ' ',
  ),
);

/** "a few hundred" is too vague to be a number. */
const vague = new Set(['few', 'several', 'many']);

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
  if (
    word === 'one' &&
    (beforePronoun.has(wordAt(lexemes, at - 1)) || wordAt(lexemes, at + 1) === 'of')
  )
    return undefined;
  if (times.has(word)) return { value: times.get(word) ?? 0, next: at + 1 };
  const article = word === 'a' || word === 'an' ? 1 : 0;
  const noun = wordAt(lexemes, at + article);
  // The half of "an hour and a half" belongs to a number that is not written.
  if (article === 1 && wordAt(lexemes, at - 1) === 'and') return undefined;
  if (word === 'three' && wordAt(lexemes, at + 1) === 'quarters')
    return { value: 0.75, next: at + 2 };
  if (noun === 'half') return halfAt(lexemes, at + article);
  if (article === 1 && noun === 'quarter') return { value: 0.25, next: at + 2 };
  if (article === 1 && noun === 'couple') return { value: 2, next: at + 2 };
  if (scales.has(noun))
    return vague.has(wordAt(lexemes, at - 1)) ? undefined : { value: 1, next: at + article };
  return article === 1 ? undefined : belowHundred(lexemes, at);
}

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

/** "two and a half", "two point five", "2½". */
function fractioned(lexemes: readonly Lexeme[], whole: Parsed): Parsed {
  const { value, next } = whole;
  const fraction = lexemes[next]?.fraction;
  if (fraction !== undefined) return { value: value + fraction, next: next + 1 };
  const words = [0, 1, 2].map((offset) => wordAt(lexemes, next + offset)).join(' ');
  if (words === 'and a half') return { value: value + 0.5, next: next + 3 };
  if (words.startsWith('and half')) return { value: value + 0.5, next: next + 2 };
  if (words === 'and a quarter') return { value: value + 0.25, next: next + 3 };
  if (words === 'and three quarters') return { value: value + 0.75, next: next + 3 };
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
