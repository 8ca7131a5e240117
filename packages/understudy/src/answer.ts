import type { Json } from '@dramaturg/compiler';
import { type Word, wordsOf } from '@dramaturg/compiler/text';
import { accepts, type Field, formatOf, type Option, textRequestOf } from './field.ts';
import { fieldsBeside, namesOf } from './mentioned-values.ts';
import { correctSpelling, optionsMeant } from './options-meant.ts';
import {
  exactOption,
  inWordsOf,
  namedOptions,
  optionsLeft,
  ordinals,
  readPosition,
} from './reading/choice.ts';
import {
  answeringPart,
  type Decline,
  excerpt,
  isGreeting,
  readDecline,
  readYesNo,
  withoutGreeting,
} from './reading/phrases.ts';
import { type NumberReading, readNumbers } from './reading/number.ts';
import { inUnit, unitAfter, unitOf, withPlainUnits } from './reading/unit.ts';
import { readText } from './reading/text.ts';

/** The reading of an answer: a value, a refusal to answer, or none. */
export type Answer = { readonly value: Json } | 'declined' | 'unread';

/** A message as the answer to the question for a field. */
interface AnswerText {
  readonly message: string;
  /** The message without the person's own questions. */
  readonly said: string;
  readonly field: Field;
  /** The other fields, whose numbers are not this field's. */
  readonly others: readonly Field[];
}

/**
 * Reads the answer to the question for a field.
 *
 * @param mayDecline whether the field may stay open: then "none" declines. If not, "none" is the answer if the field allows it
 * @param others the fields that were not asked for
 */
export function readAnswer(
  message: string,
  field: Field,
  mayDecline: boolean,
  others: readonly Field[],
): Answer {
  const decline = readDecline(message);
  const reply = { message, said: answeringPart(message), field, others };
  const declines = decline !== undefined && mayDecline;
  if (declines && !answersNevertheless(reply, decline)) return 'declined';
  if (decline === 'refusal' && field.kind.kind === 'text') return 'unread';
  const value = valueIn(reply);
  if (value !== undefined) return { value };
  return declines ? 'declined' : 'unread';
}

/** "No" answers a yes-or-no question, and "none" may be the name of an option. */
function answersNevertheless({ message, field: { kind } }: AnswerText, decline: Decline): boolean {
  if (kind.kind === 'yes-no') return decline === 'nothing' || beginsWithNo.test(message);
  return kind.kind === 'choice' && exactOption(kind.options.map(String), message) !== undefined;
}

const beginsWithNo = /^\W{0,9}(?:no|nope|nah|i (?:do|have)(?:n['’]?t| not) (?:have|got))\b/iu;

function valueIn({ message, said, field, others }: AnswerText): Json | undefined {
  const { kind } = field;
  const plain = (options: readonly Option[]) =>
    [message, said].map((text) => inWordsOf(options.map(String), text)) as [string, string];
  switch (kind.kind) {
    case 'yes-no':
      return readYesNo(said);
    case 'choice': {
      const meant = optionsMeant(...plain(kind.options), kind.options, field);
      return meant.length === 1 ? kind.options[meant[0] ?? 0] : undefined;
    }
    case 'choices':
      return optionsFor(...plain(kind.options), kind.options, field);
    case 'number': {
      if (onlyMe.test(message) && countsPeople(field)) return 1;
      const read = zero.test(message) ? 0 : numberIn(excerpt(said), field, others);
      return typeof read === 'number' ? read : undefined;
    }
    case 'text':
      return field.dated(excerpt(said)) ?? readText(message, textRequestOf(field));
    case 'texts': {
      const texts = readTexts(message);
      return texts.length === 0 ? undefined : texts;
    }
    case 'numbers': {
      const numbers = readNumbers(excerpt(said)).map((each) => each.value);
      return numbers.length === 0 ? undefined : numbers;
    }
    case 'unreadable':
      return undefined;
  }
}

/** The value that a text is for a field, without regard to any question. */
export function readAlone(text: string, field: Field): Json | undefined {
  if (formatOf(field.schema) === 'date-time') return field.dated(text);
  const answer = readAnswer(text, field, false, []);
  return typeof answer === 'object' && accepts(field.schema, answer.value)
    ? answer.value
    : undefined;
}

const zero = /^\W{0,9}(?:none|nothing|nil|none at all|not any)\W{0,9}$/iu;

const onlyMe = /^\W*(?:(?:it['’]?s|that['’]?s) )?(?:just|only) (?:me|myself)\W*$/iu;

export function countsPeople({ words }: Field): boolean {
  return words.some(({ singular }) => /^(?:guest|adult|people|person|party|seat)$/u.test(singular));
}

const every =
  /^\W{0,9}(?:all|everything|every one|any)(?: of (?:them|these|those|it|the above)| (?:three|four|five))?(?: (?:please|is fine|are fine))?\W{0,9}$|^\W{0,9}both(?: of (?:them|these|those))?(?: please)?\W{0,9}$/iu;

function optionsFor(
  message: string,
  said: string,
  options: readonly Option[],
  field: Field,
): Json | undefined {
  if (every.test(message.slice(0, 60)) && (!/both/iu.test(message) || options.length === 2))
    return [...options];
  const names = namesOf(options);
  const text = excerpt(said);
  const corrected = correctSpelling(
    text,
    names.flatMap(({ words }) => words),
  );
  const { affirmed } = namedOptions(names, wordsOf(corrected));
  const left = optionsLeft(names, corrected);
  if (left) return options.filter((_, index) => left.includes(index));
  if (affirmed.length > 0) return options.filter((_, index) => affirmed.includes(index));
  const meant = optionsMeant(message, said, options, field);
  if (meant.length === 1) return [options[meant[0] ?? 0] ?? ''];
  const places = said
    .slice(0, 100)
    .split(/[,;]|\s(?:and|&)\s/u)
    .map((part) => readPosition(part, options.length));
  return places.length > 1 && places.every((place) => place !== undefined)
    ? options.filter((_, index) => places.includes(index))
    : undefined;
}

/** The numbers of an answer that fit equally. */
export interface Ambiguity {
  readonly among: readonly number[];
}

export function numberIn(
  said: string,
  field: Field,
  others: readonly Field[],
): number | Ambiguity | undefined {
  const wanted = unitOf(field.words);
  const text = wanted === undefined ? said : withPlainUnits(said);
  const words = wordsOf(text);
  const numbers = readNumbers(text);
  const numeric = [field, ...others.filter(({ kind }) => kind.kind === 'number')];
  const about = numbers.map((number) => fieldsBeside(words, number, numeric));
  const own = numbers.findIndex((_, index) => about[index]?.includes(field));
  const free = numbers.findIndex((_, index) => about[index]?.length === 0);
  const measured = numbers.findIndex(({ end }) => unitAfter(words, end, wanted));
  const total = numbers.findIndex(({ start }) =>
    /\b(?:so|total(?: of)?|makes) $/iu.test(text.slice(Math.max(0, start - 12), start)),
  );
  const at = [measured, total, own, free].find((index) => index >= 0) ?? -1;
  const number = numbers[at];
  if (number === undefined) return ordinalIn(words, field);
  const range = [
    [numbers[at - 1], number],
    [number, numbers[at + 1]],
  ].find(([from, to]) => from !== undefined && to !== undefined && isRange(text, from, to));
  if (range) return { among: range.map((each) => each?.value ?? 0) };
  const next = numbers[at + 1];
  if (next && !about[at + 1]?.length && adults.test(text.slice(number.end, next.start)))
    return number.value + next.value;
  return inUnit(wanted, numbers.slice(at), words);
}

/** "4th grade", or only "fourth". */
function ordinalIn(words: readonly Word[], field: Field): number | undefined {
  for (const word of words) {
    const value = Number(
      /^\d{1,3}(?=(?:st|nd|rd|th)$)/u.exec(word.text)?.[0] ?? ordinals.indexOf(word.text) + 1,
    );
    if (value > 0 && (words.length === 1 || fieldsBeside(words, word, [field]).length > 0))
      return value;
  }
  return undefined;
}

/** What is between the numbers of "two adults and two kids". */
const adults = /^\s(?:adults?|grown-?ups?|men|women|people)(?:\s?[+&]\s?|\s(?:and|plus)\s)$/iu;

/** "between 5 and 10", "5 to 10", "5-10", "5 or 6", "5, maybe 6". */
function isRange(text: string, first: NumberReading, second: NumberReading): boolean {
  const between = text.slice(first.end, second.start + 1).toLowerCase();
  if (rangeWord.test(between)) return true;
  const before = text.slice(Math.max(0, first.start - 10), first.start).toLowerCase();
  return /\bbetween\s$/u.test(before) && /^\s?and\s/u.test(between);
}

const rangeWord =
  /^\s{0,2}(?:-|–|—|to|or|until|till|bis|,? (?:or )?(?:maybe|perhaps|vielleicht))\s{0,2}\S?$/u;

const mostTexts = 100;

/** The items of an enumeration: "milk, bread and eggs". */
function readTexts(message: string): string[] {
  const said = answeringPart(message).trim();
  if (said === '' || isGreeting(said)) return [];
  const items = withoutGreeting(said.slice(0, 10_000))
    .replace(
      /^(?:it['’]s|that would be|i (?:have|like|need|want|would like)|these are)\s+(?=\S)/iu,
      '',
    )
    .split(/[,;\n]|\s(?:and|&|plus|as well as)\s/u)
    .map((item) =>
      item
        .replace(/^\s*(?:and|[-*•])\s+/u, '')
        .replace(/[\s.!]+$/u, '')
        .trim(),
    );
  return [...new Set(items.filter((item) => item !== ''))].slice(0, mostTexts);
}
