import type { Json } from '@dramaturg/compiler';
import { type Word, wordsOf, wordsOfName } from '@dramaturg/compiler/text';
import {
  accepts,
  type Field,
  formatOf,
  isObject,
  isSpecific,
  type Option,
  textKindOf,
  textRequestOf,
} from './field.ts';
import { asksForYear, countsPeople, fieldsBeside, isYear, namesOf } from './mentioned-values.ts';
import { clausesOf, leaning } from './reading/clauses.ts';
import { correctSpelling, optionsMeant } from './options-meant.ts';
import {
  exactOption,
  inWordsOf,
  namedOptions,
  optionsLeft,
  ordinalOf,
  readPosition,
} from './reading/choice.ts';
import {
  answeringPart,
  type Decline,
  excerpt,
  isGreeting,
  isReference,
  readDecline,
  readYesNo,
  withoutGreeting,
} from './reading/phrases.ts';
import { type NumberReading, readNumbers } from './reading/number.ts';
import { inUnit, unitAfter, unitOf, withPlainUnits } from './reading/unit.ts';
import { isCorrection } from './reading/correction.ts';
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
  if (field.kind.kind === 'text' && isReference(message)) return 'unread';
  const decline = readDecline(message);
  const reply = { message, said: answeringPart(message), field, others };
  const declines = decline !== undefined && mayDecline;
  if (declines && !answersNevertheless(reply, decline)) return 'declined';
  if (decline === 'refusal' && field.kind.kind === 'text') return 'unread';
  const value = isWeighed(field) ? weighedValue(reply) : valueIn(reply);
  if (value !== undefined) return { value };
  return declines ? 'declined' : 'unread';
}

/** Whether clauses may say different values for the field, of which one counts: not of words of the person's own. */
export function isWeighed(field: Field): boolean {
  const { kind, schema } = field;
  if (kind.kind === 'number' || kind.kind === 'choice') return true;
  return kind.kind === 'text' && (formatOf(schema) === 'date-time' || isSpecific(field));
}

/**
 * The value of the clause with the most weight, if the clauses of the text differ in weight: "it was 8, now it's 5", "no Friday, wait,
 * Saturday". A value that is rejected, or depends on something, is none.
 */
function weighedValue(reply: AnswerText): Json | undefined {
  const clauses = clausesOf(reply.said);
  const isMoment = formatOf(reply.field.schema) === 'date-time';
  const read = (text: string) =>
    isMoment ? reply.field.dated(text) : valueIn({ ...reply, message: text, said: text });
  const readings = clauses.flatMap((clause) => {
    const value =
      clause.stance === 'settled'
        ? (read(clause.text) ?? read(reply.said.slice(clause.start)))
        : read(clause.text);
    // "It does not start" rejects no option: it describes one.
    const isTold = isTrouble.test(clause.text) && !isNamedIn(clause.text, value);
    const stance = clause.stance === 'rejected' && isTold ? 'said' : clause.stance;
    return value === undefined ? [] : [{ ...clause, stance, value }];
  });
  const mayDepend = /^(?:email|phone|url|identifier)$/u.test(textKindOf(reply.field) ?? '');
  const firm = readings.filter(
    ({ stance, depends }) => stance !== 'rejected' && (mayDepend || !depends),
  );
  if (firm.length === 0) return readings.length > 0 ? undefined : valueIn(reply);
  const alternatives = reply.said
    .split(/\s(?:or|oder|ou)\s/iu, 3)
    .flatMap((text) => read(text) ?? []);
  const settled = firm.findLast(({ stance }) => stance === 'settled');
  if (settled) return settled.value;
  if (new Set(alternatives).size > 1) return undefined;
  const told = firm.find(({ stance }) => stance === 'said') ?? firm[0]!;
  const rivals = new Set(
    firm.flatMap(({ stance, value }) => (stance === told.stance ? [value] : [])),
  );
  const isShared = reply.field.kind.kind === 'choice' || /\bthe other\b/iu.test(reply.said);
  if (rivals.size > 1 && isShared) return undefined;
  const isEven = readings.every(({ stance }) => stance === told.stance);
  const whole = isEven && firm.length === readings.length ? valueIn(reply) : told.value;
  return whole ?? (reply.field.kind.kind === 'text' ? told.value : undefined);
}

const isTrouble =
  /(?<!\p{L})(?:(?:do|does|did|is|are|was|has|have|will|wo|ca|could)(?:n['’]t| not)|cannot|never)(?! (?:want|wish|like|need|take|choose|prefer))(?!\p{L})/iu;

/** Whether a text has a word of the option. */
function isNamedIn(text: string, value: Json | undefined): boolean {
  const said = new Set(wordsOf(text).map(({ stem }) => stem));
  return typeof value !== 'string' || wordsOfName(value).some(({ stem }) => said.has(stem));
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
      return [clausesOf(said).findLast(({ corrects }) => corrects)?.start ?? 0, 0]
        .map((start) => readYesNo(said.slice(start)) ?? leaning(said.slice(start), field.words))
        .find((each) => each !== undefined);
    case 'choice': {
      const meant = optionsMeant(...plain(kind.options), kind.options, field);
      return meant.length === 1 ? kind.options[meant[0] ?? 0] : undefined;
    }
    case 'choices':
      return optionsFor(...plain(kind.options), kind.options, field);
    case 'number': {
      const read = none.test(message) ? 0 : numberIn(excerpt(said), field, others);
      if (read === undefined && nothingElse.test(message)) return 0;
      return typeof read === 'number' ? read : undefined;
    }
    case 'text':
      return (
        field.dated(excerpt(said)) ??
        readPattern(message, field) ??
        readText(message, textRequestOf(field))
      );
    case 'texts':
    case 'numbers': {
      const numbers = () => readNumbers(excerpt(said)).map((each) => each.value);
      const items: readonly Json[] = kind.kind === 'texts' ? readTexts(message) : numbers();
      return items.length === 0 ? undefined : items;
    }
    case 'unreadable':
      return undefined;
  }
}

/** The only part of a text that has the pattern of the field, or the last one of a correction: "WX4410, no, WX4419". */
export function readPattern(
  text: string,
  { schema: { pattern, 'x-limits': limits } }: Field,
): string | undefined {
  const wanted = pattern ?? (isObject(limits) ? limits['pattern'] : undefined);
  if (typeof wanted !== 'string') return undefined;
  const words = excerpt(text)
    .split(/[\s,;:!?()"]+/u, mostWords)
    .map((word) => word.replace(/\.$/u, ''));
  const candidates = words.flatMap((_, at) =>
    [1, 2, 3, 4].flatMap((length) =>
      ['', ' ', '-'].map((joint) => words.slice(at, at + length).join(joint)),
    ),
  );
  const fitting = candidates
    .flatMap(
      (part) => [part, part.toUpperCase()].find((each) => accepts({ pattern: wanted }, each)) ?? [],
    )
    .filter((part) => /\d/u.test(part));
  const [only, another] = new Set(fitting);
  return another !== undefined && isCorrection(text) ? fitting.at(-1) : another ? undefined : only;
}

const mostWords = 100;

/** The value that a text is for a field, without regard to any question. */
export function readAlone(text: string, field: Field): Json | undefined {
  if (formatOf(field.schema) === 'date-time') return field.dated(text);
  const answer = readAnswer(text, field, false, []);
  return typeof answer === 'object' && accepts(field.schema, answer.value)
    ? answer.value
    : undefined;
}

// cspell:disable
/** None at all, whatever follows: "none, just 2 adults", "no kids". */
const none =
  /^\W{0,9}(?:none(?: needed| required)?|nothing|nil|none at all|not any|keine?s?|aucune?|ningun[oa]|nessun[oa]|nenhuma?|(?:no|keine|without|pas d['’]|sin|sans) ?(?:kids|children|child|kinder|enfants?|niños|hijos|bambini|crianças|filhos))(?=[,.;!]|\s*$)/iu;
const nothingElse = /^\W{0,9}(?:no|nope|nah|nein|non|não)\W*$/iu;
// cspell:enable

const every =
  /^\W{0,9}(?:all|everything|every one|any)(?: of (?:them|these|those|it|the above)| (?:three|four|five))?(?: (?:please|is fine|are fine))?\W{0,9}$|^\W{0,9}both(?: of (?:them|these|those))?(?: please)?\W{0,9}$/iu;

const spanWord = /\p{L}\s?(?:[-–—]|\s(?:to|till|until|through|thru|bis|hasta|até)\s)\s?\p{L}/u;

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
  const pick = (chosen: readonly number[]) => options.filter((_, index) => chosen.includes(index));
  const rejected = clausesOf(corrected).filter(({ stance }) => stance === 'rejected');
  const [named, hated] = [corrected, rejected.map((each) => each.text).join(';')].map(
    (each) => namedOptions(names, wordsOf(each)).affirmed,
  );
  const affirmed = named!.filter((index) => !hated?.includes(index));
  const [from, to, more] = affirmed;
  const isSpan = to !== undefined && more === undefined && from! < to && spanWord.test(corrected);
  if (isSpan) return options.slice(from, to + 1);
  const left = optionsLeft(names, corrected);
  if (left ?? affirmed.length > 0) return pick(left ?? affirmed);
  const meant = optionsMeant(message, said, options, field);
  if (meant.length === 1) return [options[meant[0] ?? 0] ?? ''];
  const places = said
    .slice(0, 100)
    .split(/[,;]|\s(?:and|&)\s/u)
    .map((part) => readPosition(part, options.length));
  const listed = places.filter((place) => place !== undefined);
  return places.length > 1 && listed.length === places.length ? pick(listed) : undefined;
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
  const numbers = readNumbers(text).filter((number) => !isBeside(text, number, field));
  const numeric = [field, ...others.filter(({ kind }) => kind.kind === 'number')];
  const about = numbers.map((number) => fieldsBeside(words, number, numeric));
  const own = numbers.findIndex((_, index) => about[index]?.includes(field));
  const free = numbers.findIndex((_, index) => about[index]?.length === 0);
  const measured = numbers.findIndex(({ end }) => unitAfter(words, end, wanted));
  const at = [measured, own, free].find((index) => index >= 0) ?? -1;
  const number = numbers[at];
  if (number === undefined) return ordinalIn(text, words, field);
  const range = [
    [numbers[at - 1], number],
    [number, numbers[at + 1]],
  ].find(([from, to]) => from !== undefined && to !== undefined && isRange(text, from, to));
  if (range) return { among: range.map((each) => each?.value ?? 0) };
  const next = numbers[at + 1];
  // "Forty two fifty" may be 42.50 or 4250.
  if (next && wanted === undefined && text.slice(number.end, next.start) === ' ') return undefined;
  return inUnit(wanted, numbers.slice(at), words);
}

/** Whether the number is an earlier value, or counts people or a year that the field does not ask for. */
function isBeside(text: string, { start, end, value }: NumberReading, field: Field): boolean {
  if (/^ (?:of us|people|persons|guests)\b/iu.test(text.slice(end, end + 12)))
    return !countsPeople(field) && !/\bper (?:person|head)/iu.test(text.slice(end, end + 20));
  if (/^ ?(?:o['’]?clock|[ap]\.?m\b|uhr)/iu.test(text.slice(end, end + 10))) return true;
  return isYear(text, { start, end, value }) && !asksForYear(field);
}

/** "4th grade", or only "fourth". */
function ordinalIn(text: string, words: readonly Word[], field: Field): number | undefined {
  for (const word of words) {
    const value = ordinalOf(word.text);
    if (
      value > 0 &&
      (words.length === 1 ||
        /^so \S+$/iu.test(text) ||
        fieldsBeside(words, word, [field]).length > 0)
    )
      return value;
  }
  return undefined;
}

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

// cspell:disable-next-line
const beforeItem =
  /^\s*(?:(?:and|but|also|too|maybe|perhaps|probably|mostly|mainly|then|oh|uh+m?|um+|er+|euh|äh+m?|a (?:bit|little) of|some|und|auch|aussi|también|anche|também|[-*•])\s+)+/iu;

// cspell:disable-next-line
const takenBack =
  /^(?:scratch|forget|remove|drop|minus|not|no|without|except|ohne|kein\p{L}*|sauf|sin|senza|sem)(?: the)? (?=\S)/iu;

/** The items of an enumeration: "milk, bread and eggs". A second sentence says something else. */
function readTexts(message: string): string[] {
  const said = answeringPart(message).trim();
  if (said === '' || isGreeting(said)) return [];
  const [sentence = said] = said.split(/(?<=[,;] .{1,300}\p{L}{2})[.!]\s+(?=\p{Lu})/u);
  const items = withoutGreeting(sentence.slice(0, 10_000))
    .replace(
      /^(?:it['’]s|that would be|i (?:have|like|need|want|would like)|these are)\s+(?=\S)/iu,
      '',
    )
    .split(/[,;\n+]|\s[-–—]\s|\s(?:and|&|plus|as well as|und|sowie|et|y|e)\s/iu)
    .map((item) =>
      item
        .trim()
        .replace(beforeItem, '')
        .replace(
          /^.{0,40}\b(?:allergic|intolerant|sensitive) to |^(?:another|the other|one|someone|my \p{L}+|\p{Lu}\p{L}+)(?: one)? (?:to|is|has|can['’]t have|no) /u,
          '',
        )
        .replace(
          /^(?:oh|uh+m?|um+|hm+|well|and)$|\s(?:first|too|as well|also|please|pls|bitte)$|[\s.!]+$/giu,
          '',
        )
        .trim(),
    );
  const removed = new Set(
    items
      .filter((item) => takenBack.test(item))
      .map((item) => item.replace(takenBack, '').toLowerCase()),
  );
  const isKept = (item: string) =>
    item !== '' &&
    !removed.has(item.toLowerCase()) &&
    !(
      takenBack.test(item) &&
      items.some((each) => each.toLowerCase() === item.replace(takenBack, '').toLowerCase())
    );
  return [...new Set(items.filter(isKept))].slice(0, mostTexts);
}
