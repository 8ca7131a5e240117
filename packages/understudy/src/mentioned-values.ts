import { listed } from './reading/words.ts';
import type { Json } from '@dramaturg/compiler';
import { type Field, type Option, stringOrEmpty } from './field.ts';
import { evidenceFor, inWordsOf, namedOption, namedOptions, ordinalOf } from './reading/choice.ts';
import { type NumberReading, readNumbers } from './reading/number.ts';
import { inUnit, unitAfter, unitOf, withPlainUnits } from './reading/unit.ts';
import { type Word, wordsOf } from '@dramaturg/compiler/text';
import { excerpt, isStopWord } from './reading/phrases.ts';

/** Frequent words that rarely mean an option: they count only if the text also mentions the field. */
const smallTalk = listed(
  'good great fine okay ok perfect bad nice new other none no yes any all some well sure now later',
);

/**
 * Reads plain values of fields that were not asked for: options by name, numbers by label. List fields are skipped: they often
 * ask something else about their options ("which of these are done"), so a mentioned option is not an answer.
 */
export function readMentionedValues(message: string, fields: readonly Field[]): Map<Field, Json> {
  const text = excerpt(message);
  const found = new Map<Field, Json>();
  for (const field of fields) {
    const { kind } = field;
    const option =
      kind.kind === 'choice'
        ? findMentionedOption(
            kind.options,
            field,
            wordsOf(inWordsOf(kind.options.map(String), text)),
          )
        : undefined;
    if (option !== undefined) found.set(field, option);
  }
  for (const [field, value] of findMentionedNumbers(text, fields)) found.set(field, value);
  return found;
}

export function namesOf(options: readonly Option[]) {
  return options.map((option) => namedOption(String(option)));
}

/** The only option that the text names or, if none is named, the only one that shares a word with the text. */
function findMentionedOption(
  options: readonly Option[],
  field: Field,
  words: readonly Word[],
): Option | undefined {
  const names = namesOf(options);
  const { affirmed } = namedOptions(names, words);
  const spokenOf = words.some((word) =>
    field.words.some(({ singular }) => singular === word.singular),
  );
  const telling = affirmed.filter(
    (index) =>
      spokenOf ||
      !names[index]?.words.every(({ text }) => smallTalk.has(text) || /^\p{N}+$/u.test(text)),
  );
  if (telling.length > 0) return telling.length === 1 ? options[telling[0] ?? 0] : undefined;
  const aside = new Set([...field.words.map(({ singular }) => singular), ...smallTalk]);
  const evidence = evidenceFor(
    names.map((name) => name.words),
    words,
    'singular',
    aside,
  );
  const supported = evidence.flatMap(({ score }, index) => (score >= 1 ? [index] : []));
  return supported.length === 1 ? options[supported[0] ?? 0] : undefined;
}

/** Words that are in the names of many number fields. */
const countingWords = listed('number count amount total score rating value between from per');

/** Numbers that stand next to a word of one field: "7 glasses of water", "urgency 8". */
function findMentionedNumbers(said: string, fields: readonly Field[]): Map<Field, number> {
  const found = new Map<Field, number>();
  const numeric = fields.filter(({ kind }) => kind.kind === 'number');
  if (numeric.length === 0) return found;
  const text = withPlainUnits(said);
  const words = wordsOf(text);
  const numbers = readNumbers(text);
  for (const word of words) {
    const value = ordinalOf(word.text);
    const [field, other] = value ? fieldsBeside(words, word, numeric) : [];
    if (field && !other) found.set(field, value);
  }
  for (const [index, number] of numbers.entries()) {
    const direct = fieldsBeside(words, number, numeric);
    const near =
      direct.length > 0
        ? direct
        : fieldsAfter(words, number, numbers[index + 1]?.start ?? Infinity, numeric);
    const about = near.length > 0 ? near : fieldsOfKind(text, words, number, numeric);
    const [field] = about;
    if (field !== undefined && about.length === 1 && !found.has(field))
      found.set(field, inUnit(unitOf(field.words), numbers.slice(index, index + 2), words));
  }
  return found;
}

// cspell:disable
const peopleWords =
  /(?<!\p{L})(?:guests?|adults?|people|persons?|party|seats?|personen|leute|gäste|personnes|invités|personas|huéspedes|persone|ospiti|pessoas|hóspedes)(?!\p{L})/iu;
const ageWords =
  /(?<!\p{L})(?:age|old|alt|alter|âge|edad|età|idade|anni ha|años tiene|anos tem)(?!\p{L})/iu;
const aged = /^[ -]?(?:(?:years?|yrs?)[ -]old|y\/?o|jahre alt|ans|años|anni|anos)(?!\p{L})/iu;
const duringWords =
  /(?<!\p{L})(?:for|over|during|lasts?|für|seit|pendant|depuis|por|durante|desde|da) $/iu;
// cspell:enable

/** The name and the description of a field. */
function aboutOf({ path, schema }: Field): string {
  return `${path.at(-1)?.replaceAll('_', ' ')} ${stringOrEmpty(schema['description'])}`;
}

export function countsPeople(field: Field): boolean {
  const [, counted = ''] = counting.exec(aboutOf(field)) ?? [];
  return peopleWords.test(`${field.path.at(-1)?.replaceAll('_', ' ')} ${counted}`);
}

// cspell:disable-next-line
const counting =
  /(?:how many|number of|wie viele|combien de|cu[aá]nt[oa]s|quant[iaeo]s?) (.{1,25})/iu;

/** The fields that a number fits by what is around it: an amount of money, an age, people, or a duration in another unit. */
function fieldsOfKind(
  text: string,
  words: readonly Word[],
  number: NumberReading,
  fields: readonly Field[],
): Field[] {
  const { start, end } = number;
  const [before, after] = [text.slice(Math.max(0, start - 20), start), text.slice(end, end + 20)];
  if (isYear(text, number)) return fields.filter(asksForYear);
  if (isMoney(text, number))
    return fields.filter(({ words: own }) => own.some(({ singular }) => moneyWords.has(singular)));
  const isAge =
    /(?:['’]m|\bim|\bi am|ich bin|j['’]ai|tengo|tenho|\bho|['’]s) $/iu.test(before) &&
    /^\s*(?:[.,;!]|$)/u.test(after);
  if (isAge || aged.test(after) || /(?:turned|aged|age) $/iu.test(before))
    return fields.filter((field) => ageWords.test(aboutOf(field)));
  if (peopleWords.exec(after)?.index === 1) return fields.filter(countsPeople);
  return duringWords.test(before)
    ? fields.filter(({ words: own }) => unitOf(own) && unitAfter(words, end, unitOf(own)))
    : [];
}

/** "In 2025", "seit 2019". */
export function isYear(text: string, { start, end }: NumberReading): boolean {
  return /(?<!\p{L})(?:in|for|since|from|year|of|seit|im jahr|von|depuis|en|de|desde|dal|nel|em) (?:19|20)\d\d$/iu.test(
    text.slice(Math.max(0, start - 10), end),
  );
}

export function asksForYear({ words }: Field): boolean {
  // cspell:disable-next-line
  return words.some(({ singular }) => /^(?:year|jahr|année|año|anno|ano|vintage)$/u.test(singular));
}

const moneyWords = listed(
  'amount price cost budget money fee payment salary income rent revenue turnover umsatz betrag preis kosten prix montant precio importe prezzo importo preço valor gehalt einkommen miete loyer',
);

/** Whether a currency is next to the number. */
function isMoney(text: string, { start, end }: NumberReading): boolean {
  const around = `${text.slice(Math.max(0, start - 5), start)}0${text.slice(end, end + 10)}`;
  return /(?:[$€£¥]|\b(?:usd|eur|chf|gbp))\s?0|0\s?(?:[$€£¥]|(?:dollars?|euros?|pounds?|francs?|bucks|cents?|usd|eur|chf|gbp)\b)/iu.test(
    around,
  );
}

/** The fields that the noun after a number names, also with adjectives in between: "two large pizzas". */
function fieldsAfter(
  words: readonly Word[],
  { end }: { readonly end: number },
  nextNumber: number,
  fields: readonly Field[],
): Field[] {
  const at = words.findIndex((word) => word.start >= end);
  // A number with a comma or a full stop after it says nothing about the next clause.
  const next = at < 0 || words[at]?.clause !== words[at - 1]?.clause ? [] : words.slice(at, at + 4);
  const near = next.filter(
    (word) =>
      word.start < nextNumber &&
      word.clause === next[0]?.clause &&
      !isStopWord(word) &&
      !countingWords.has(word.singular),
  );
  return fields.filter((field) =>
    field.words.some(({ singular }) => near.some((word) => word.singular === singular)),
  );
}

/** The fields that the words right before and after a number name; by description if no name fits, then by unit. */
export function fieldsBeside(
  words: readonly Word[],
  { start, end }: { readonly start: number; readonly end: number },
  fields: readonly Field[],
): Field[] {
  const after = words.findIndex((word) => word.start >= end);
  const before = words.findLastIndex((word) => word.end <= start);
  const beside = [words[after], words[before]].flatMap((word) =>
    word === undefined || isStopWord(word) || countingWords.has(word.singular)
      ? []
      : [word.singular],
  );
  const speaksOf = (own: readonly Word[]) => own.some(({ singular }) => beside.includes(singular));
  const byName = fields.filter(({ nameWords }) => speaksOf(nameWords));
  const named = byName.length > 0 ? byName : fields.filter((field) => speaksOf(field.words));
  if (named.length > 0) return named;
  // "7 hours" do not answer "how many days".
  const measured = fields.filter((field) => unitAfter(words, end, unitOf(field.words)));
  return measured.filter((field) => unitOf(field.words)?.kind !== 'time');
}
