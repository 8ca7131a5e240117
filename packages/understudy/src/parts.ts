import type { Json } from '@dramaturg/compiler';
import { wordsOf } from '@dramaturg/compiler/text';
import { isWeighed, readAlone } from './answer.ts';
import { type Field, formatOf, isFreeText, stringOrEmpty, textKindOf } from './field.ts';
import { namesOf } from './mentioned-values.ts';
import { correctSpelling } from './options-meant.ts';
import { clausesOf, isAlike, isAmong, leaning } from './reading/clauses.ts';
import { exactOption } from './reading/choice.ts';
import { readPlaceIn } from './reading/text.ts';
import { partStarts, readYesNo } from './reading/phrases.ts';

/** The values of other fields in the parts of a message, and both ends of a range. */
export function partsIn(...[message, fields, asked, values]: Heard): [Field, Json][] {
  return [
    ...factsInParts(message, fields, asked, values),
    ...flagsIn(message, fields, asked, values),
    ...rangesIn(message, fields, asked),
  ];
}

/** A message, the fields that it may fill, the one that was asked for, and the values that are read already. */
type Heard = [string, readonly Field[], Field | undefined, ReadonlyMap<Field, Json>];

/**
 * Values that parts of a message plainly are, for open fields that the whole message gave no value: "large with olives",
 * "0176 1234567, Lena", "4 people on 12 December". Not beside a free text, whose parts may be anything.
 */
function factsInParts(...[message, fields, asked, values]: Heard): Map<Field, Json> {
  const found = new Map<Field, Json>();
  const open = fields.filter(
    (field) =>
      !field.collected &&
      !field.isLater &&
      !values.has(field) &&
      !isFreeText(field) &&
      !(field === asked && isWeighed(field)),
  );
  if (!asked || isFreeText(asked) || asked.kind.kind === 'texts') return found;
  const parts = partsOf(message);
  const answer = values.get(asked);
  for (const field of open) {
    const rivals: readonly Field[] = [...open, asked].filter(
      (other) =>
        other !== field && (isRival(other, field) || (other === asked && haveDays(asked, field))),
    );
    const free = parts.filter((part) =>
      rivals.length > 0
        ? isAbout(part, field, rivals)
        : // The name "Mon" is not also a day.
          !('options' in field.kind) || part !== answer,
    );
    const readings = free
      .flatMap((part) => partValue(part, field) ?? [])
      // The day of a moment that was asked for is that moment's.
      .filter(
        (each) =>
          !(
            typeof answer === 'string' &&
            typeof each === 'string' &&
            answer.startsWith(`${each}T`)
          ),
      );
    const [only] = readings;
    // "On 2 January, back on the 9th": not the 9th of this month.
    if (rivals.includes(asked) && isLast(field) && only! < (answer ?? '')) continue;
    if (only !== undefined && (readings.length === 1 || field.kind.kind === 'choices'))
      found.set(field, field.kind.kind === 'choices' ? [...readings] : only);
  }
  return found;
}

/**
 * The two ends of a range, for two fields of the same format: "20 to 23 December", "20.12. till 3.1.", "between 2 and 5 pm". A
 * question about the number of nights is not about either end.
 */
function rangesIn(
  message: string,
  fields: readonly Field[],
  asked: Field | undefined,
): Map<Field, Json> {
  const found = new Map<Field, Json>();
  for (const format of ['date', 'time']) {
    const dated = fields.filter((each) => formatOf(each.schema) === format && !each.collected);
    const first = asked && dated.includes(asked) ? asked : dated[0];
    const last = first && dated[dated.indexOf(first) + 1];
    const ends = first && (first.between(message) ?? daysBetween(message, first));
    if (ends && isLast(first)) found.set(first, ends[1]);
    else if (ends && last && isLast(last)) found.set(first, ends[0]).set(last, ends[1]);
  }
  return found;
}

function daysBetween(message: string, { dated }: Field): readonly [string, string] | undefined {
  const [from = '', to, more] = message.slice(0, 200).split(untilWord);
  if (to === undefined) return undefined;
  // "Del 20 al 23 de diciembre": the month belongs to both days.
  const month = /^\d{1,2}(?:\.|st|nd|rd|th)?( (?:de |of )?\p{L}{3,10})/u.exec(to ?? '')?.[1] ?? '';
  const [start, end] = [dated(from) ?? dated(from + month), dated(to ?? '')];
  return start && end && more === undefined && start < end ? [start, end] : undefined;
}

const untilWord = /\s(?:–|—|-|to|till|until|bis|au|al|hasta(?: el)?|até|fino al?)\s/iu;

function isLast({ words, path, schema }: Field): boolean {
  const ending = /^(?:return|back|end|until|till|to|departure|checkout|last|bis|latest)$/u;
  return (
    words.some(({ text }) => ending.test(text)) ||
    ending.test(path.at(-1) ?? '') ||
    /^(?:to|until|till|bis|jusqu|hasta|fino|até) ?/iu.test(stringOrEmpty(schema['description']))
  );
}

/** Whether one is for a day, and the options of the other one are weekdays. */
function haveDays(one: Field, other: Field): boolean {
  return [[one, other] as const, [other, one] as const].some(
    ([{ kind }, { dated }]) => 'options' in kind && dated(String(kind.options[0])) !== undefined,
  );
}

/** Whether a part has a word of the field that its rivals do not have: "leaving on the 27th". */
function isAbout(part: string, { words }: Field, rivals: readonly Field[]): boolean {
  const said = wordsOf(part).map(({ stem }) => stem);
  const others = new Set(rivals.flatMap((rival) => rival.words.map(({ stem }) => stem)));
  return words.some(({ stem }) => !others.has(stem) && said.some((own) => isAlike(own, stem)));
}

/** The value that a part of a message plainly is: a day, options, how many people, a name with capitals. */
function partValue(said: string, field: Field): Json | undefined {
  const { kind } = field.kind;
  if (textKindOf(field) === 'name')
    return isCapitalised.test(said) ? readAlone(said, field) : undefined;
  if (textKindOf(field) === 'place') return readPlaceIn(said);
  const part = said.replace(/^with\s|\s(?:right )?now(?!\p{L})/giu, '');
  if (kind === 'number') return undefined;
  if (field.kind.kind === 'choices' || field.kind.kind === 'choice') {
    const vocabulary = namesOf(field.kind.options).flatMap(({ words }) => words);
    const named = correctSpelling(part.replace(/^.*\bon\s/iu, ''), vocabulary);
    return field.kind.options[exactOption(field.kind.options.map(String), named) ?? -1];
  }
  const format = String(formatOf(field.schema));
  if (!/^(?:date|time|date-time)$/u.test(format)) return undefined;
  const isTime = format === 'time';
  const isValue = isTime ? hourSaid.test(part) : !beingNow.test(part) || isAbout(part, field, []);
  return isValue ? readAlone(part, field) : undefined;
}

/** When something is or was, and not what is asked for. */
const beingNow =
  /(?<!\p{L})(?:today|tonight|this (?:morning|afternoon|evening)|yesterday|now|already)(?!\p{L})/iu;

const hourSaid =
  /\d ?(?:[ap]\.?m|h(?!\p{L})|uhr|:\d|o['’]clock)|(?<!\p{L})(?:noon|midnight|half|quarter|evening|afternoon|morning)(?!\p{L})/iu;

/** A name with capitals. "AOK" is rather an abbreviation. */
const isCapitalised =
  /^(?=.*\p{Ll})\p{Lu}[\p{L}'’.-]+(?: (?:\p{Lu}[\p{L}'’.-]*|(?:v[ao]n|zu[rm]?|de[rnl]?|d[aiou]s?|la|al|bin|te[rn]))){0,4}$/u;

/** The parts of a message, without joints and punctuation around them. */
function partsOf(message: string): string[] {
  const starts = [0, ...partStarts(message)];
  return starts.map((start, index) =>
    message
      .slice(start, starts[index + 1])
      .replace(joints, '')
      .trim(),
  );
}

const joints =
  /^(?:(?:and|but|for|under|n|&|und|aber|et|mais|y|pero|e|ma|mas)\s)+|[\s,;./!)–—\p{Extended_Pictographic}-]+$/giu;

/**
 * Yes or no to questions that were not asked: "lunch yes please", "and no fever so far", "it's urgent". After another answer, "and
 * yes" belongs to the only other question.
 */
function flagsIn(...[message, fields, asked, values]: Heard): Map<Field, Json> {
  const found = new Map<Field, Json>();
  const open = fields.filter(
    (field) =>
      field.kind.kind === 'yes-no' && !field.collected && !field.isLater && !values.has(field),
  );
  const uses = new Map<string, number>();
  for (const { words } of fields)
    for (const stem of new Set(words.map((word) => word.stem)))
      uses.set(stem, (uses.get(stem) ?? 0) + 1);
  const [only, another] = open.filter((field) => wishOf(field) === '');
  // "300. No. 350." is a correction.
  const corrects = clausesOf(message).some((each) => each.corrects || each.stance === 'rejected');
  const mayAgree = only && !another && !corrects && asked && asked.kind.kind !== 'yes-no';
  for (const [at, part] of partsOf(message).entries()) {
    if (open.length === 0 || part.includes('?')) continue;
    for (const field of open) {
      const wanting = new Set(wordsOf(wishOf(field)).map(({ stem }) => stem));
      const own = field.words.filter(({ stem }) => uses.get(stem) === 1 && !wanting.has(stem));
      const said = wordsOf(part);
      const named = new Set(own.flatMap((word) => (isAmong(said, [word]) ? [word.stem] : [])));
      if (named.size < (wanting.size > 0 ? Math.min(2, own.length) : 1)) continue;
      const after = readYesNo(/\s(\p{L}{1,4}(?: please| thanks)?)\W*$/iu.exec(part)?.[1] ?? '');
      const value = after ?? readYesNo(part) ?? leaning(part, own);
      if (value !== undefined) found.set(field, value);
    }
    const agrees = at > 0 && bareYesNo.test(part) ? readYesNo(part) : undefined;
    if (mayAgree && agrees !== undefined && !found.has(only)) found.set(only, agrees);
  }
  return found;
}

/** "Whether the person wants to", for a flag about the conversation itself: a bare yes, or one word of it, is not such a wish. */
function wishOf({ schema }: Field): string {
  return /^whether .{1,20} wants? to\b/iu.exec(stringOrEmpty(schema['description']))?.[0] ?? '';
}

const bareYesNo =
  /^(?:yes|yep|ja|oui|s[ií]|sì|sim|no|nein|non|n[aã]o)\W*(?:please|thanks|thank you)?\W*$/iu;

/** Whether the same words of a message could be a value of both. */
export function isRival(now: Field, later: Field): boolean {
  const { kind } = now;
  if (kind.kind !== later.kind.kind) return false;
  if ('options' in kind && 'options' in later.kind) {
    const names = new Set(later.kind.options.map((option) => String(option).toLowerCase()));
    return kind.options.some((option) => names.has(String(option).toLowerCase()));
  }
  if (kind.kind === 'number') {
    const names = new Set(later.words.map(({ singular }) => singular));
    return now.words.some(({ singular }) => names.has(singular));
  }
  // An account number is read only next to a word of its name.
  const wanted = textKindOf(later);
  return wanted !== 'identifier' && wanted === textKindOf(now);
}
