import type { Json } from '@dramaturg/compiler';
import { type Field, textWanted } from './field.ts';
import { fieldsBeside, namesOf } from './mentioned.ts';
import type { Option } from './schema.ts';
import { evidenceFor, exactOption, namedOptions, uniqueBest } from './reading/choice.ts';
import { type Decline, readDecline } from './reading/decline.ts';
import { readNumbers } from './reading/number.ts';
import { readPosition } from './reading/position.ts';
import { answeringPart } from './reading/question-back.ts';
import { readText } from './reading/text.ts';
import { excerpt, wordsOf } from './reading/words.ts';
import { readYesNo } from './reading/yes-no.ts';

/** What an answer comes to: a value, the wish to give none, or nothing that can be read. */
export type Answer = { readonly value: Json } | 'declined' | 'unread';

/** A message as the answer to the question for a field. */
interface Reply {
  readonly message: string;
  /** The message without what it asks back. */
  readonly said: string;
  readonly field: Field;
  /** The other fields, whose numbers are not this field's. */
  readonly others: readonly Field[];
}

/**
 * Reads the answer to the question for a field.
 *
 * @param mayDecline the field may stay open: then "none" declines; otherwise it is the answer, where it can be one
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
function answersNevertheless({ message, field: { kind } }: Reply, decline: Decline): boolean {
  if (kind.kind === 'yes-no')
    return decline === 'nothing' || /^\W{0,9}(?:no|nope|nah)\b/iu.test(message);
  return kind.kind === 'choice' && exactOption(kind.options.map(String), message) !== undefined;
}

function valueIn({ message, said, field, others }: Reply): Json | undefined {
  const { kind } = field;
  if (kind.kind === 'yes-no') return readYesNo(said);
  if (kind.kind === 'choice') return optionFor(message, said, kind.options, field);
  if (kind.kind === 'choices') return optionsFor(message, said, kind.options, field);
  if (kind.kind === 'number')
    return zero.test(message) ? 0 : numberFor(excerpt(said), field, others);
  return kind.kind === 'text' ? readText(message, textWanted(field)) : undefined;
}

const zero = /^\W{0,9}(?:none|nothing|nil|none at all|not any)\W{0,9}$/iu;

function optionsFor(
  message: string,
  said: string,
  options: readonly Option[],
  field: Field,
): Json | undefined {
  const named = namedOptions(namesOf(options), wordsOf(excerpt(said))).affirmed;
  if (named.length > 0) return options.filter((_, index) => named.includes(index));
  const one = optionFor(message, said, options, field);
  return one === undefined ? undefined : [one];
}

/** The option that the answer names, counts out by its place in the list, or shares the most words with. */
function optionFor(
  message: string,
  said: string,
  options: readonly Option[],
  field: Field,
): Option | undefined {
  const exact = exactOption(options.map(String), message);
  if (exact !== undefined) return options[exact];
  const text = excerpt(said);
  const words = wordsOf(text);
  const names = namesOf(options);
  const { affirmed } = namedOptions(names, words);
  if (affirmed.length > 0) return affirmed.length === 1 ? options[affirmed[0] ?? 0] : undefined;
  if (options.every((option) => typeof option === 'number'))
    return options.find((option) => option === readNumbers(text)[0]?.value);
  const yesNo = optionAgreeing(text, options);
  const place = yesNo === undefined ? readPosition(text, options.length) : undefined;
  if (yesNo !== undefined || place !== undefined) return yesNo ?? options[place ?? 0];
  const aside = new Set(field.words.map(({ stem }) => stem));
  const evidence = evidenceFor(
    names.map((name) => name.words),
    words,
    'stem',
    aside,
  );
  const best = uniqueBest(evidence.map(({ score }) => score));
  return best === undefined ? undefined : options[best];
}

/** "yeah" is the option yes, when yes and no are options. */
function optionAgreeing(text: string, options: readonly Option[]): Option | undefined {
  const named = (name: string) => options.find((option) => String(option).toLowerCase() === name);
  const agreement =
    named('yes') === undefined || named('no') === undefined ? undefined : readYesNo(text);
  return agreement === undefined ? undefined : named(agreement ? 'yes' : 'no');
}

/** Units that are easily given in place of one another; an answer in another one than asked is not converted but asked again. */
const clock = ['second', 'minute', 'hour'];

function numberFor(text: string, field: Field, others: readonly Field[]): number | undefined {
  const words = wordsOf(text);
  const numbers = readNumbers(text);
  const numeric = [field, ...others.filter(({ kind }) => kind.kind === 'number')];
  const about = numbers.map((number) => fieldsBeside(words, number, numeric));
  const own = numbers.findIndex((_, index) => about[index]?.includes(field));
  const free = numbers.findIndex((_, index) => about[index]?.length === 0);
  const number = numbers[own >= 0 ? own : free];
  if (number === undefined) return undefined;
  const after = words
    .filter((word) => word.start >= number.end && word.start < number.end + 12)
    .slice(0, 2);
  const unitGiven = clock.find((unit) => after.some(({ singular }) => singular === unit));
  const unitWanted = clock.find((unit) => field.words.some(({ singular }) => singular === unit));
  return unitGiven !== undefined && unitWanted !== undefined && unitGiven !== unitWanted
    ? undefined
    : number.value;
}
