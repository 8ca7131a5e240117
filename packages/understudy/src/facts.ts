import type { Json } from '@dramaturg/compiler';
import { readAnswer } from './answer.ts';
import { type Field, stringOrEmpty, textRequestOf } from './field.ts';
import { readLabelledValues } from './labelled-values.ts';
import { readMentionedValues } from './mentioned-values.ts';
import { isSlipOf } from './reading/distance.ts';
import { readEmail, readPhone, readUrl } from './reading/contact-data.ts';
import { type Identifier, readIdentifiers } from './reading/identifier.ts';
import { readIntroducedName } from './reading/name.ts';
import { readPlaceNamed } from './reading/text.ts';
import { readTrouble } from './reading/trouble.ts';
import { answeringPart } from './reading/question-back.ts';
import { type Word, wordsOf } from '@dramaturg/compiler/text';
import { excerpt } from './reading/words.ts';

/**
 * What a text states plainly about fields, independent of the question: by the field's name ("my age is 36", "account
 * 4711-B"), or by a kind that only one of the fields has (an email address, a name in an introduction).
 *
 * @param isAnswer the text is the current message, which may give a value without naming the field
 */
export function factsIn(
  text: string,
  fields: readonly Field[],
  isAnswer: boolean,
): Map<Field, Json> {
  const said = answeringPart(text);
  const values = readMentionedValues(said, fields);
  const ofKind = kindReader(said, fields, values);
  ofKind('email', readEmail);
  ofKind('url', (part) => readUrl(part.replace(/\S{1,64}@\S{1,255}/gu, '')));
  ofKind('phone', (part) => readPhone(part));
  ofKind('name', readIntroducedName);
  ofKind('place', readPlaceNamed);
  readNumbered(said, fields, isAnswer, values);
  for (const { field: named, text: value } of readLabelledValues(said, fields).found) {
    const answer = readAnswer(value, named, false, []);
    if (typeof answer === 'object') values.set(named, answer.value);
    else values.delete(named);
  }
  const troubled = fields.filter((field) => asksForTrouble(field) && !values.has(field));
  const trouble = troubled.length === 1 ? readTrouble(said) : undefined;
  if (trouble !== undefined) values.set(troubled[0]!, trouble);
  return values;
}

/** Sets the value of the only field of a kind, if the text has one. */
function kindReader(said: string, fields: readonly Field[], values: Map<Field, Json>) {
  return (kind: string, read: (text: string) => string | undefined) => {
    const wanting = fields.filter(
      (field) => field.kind.kind === 'text' && textRequestOf(field).kind === kind,
    );
    const value = wanting.length === 1 ? read(said) : undefined;
    if (value !== undefined) values.set(wanting[0]!, value);
  };
}

const generic = new Set('number id no nr code'.split(' '));

const mostIdentifiers = 20;

/** Account numbers and the like: next to a word of the field's name, or the only one if only one field asks for one. */
function readNumbered(
  said: string,
  fields: readonly Field[],
  isAnswer: boolean,
  values: Map<Field, Json>,
): void {
  const wanting = fields.filter(
    (field) => field.kind.kind === 'text' && textRequestOf(field).kind === 'identifier',
  );
  if (wanting.length === 0) return;
  const text = excerpt(said);
  const words = wordsOf(text);
  const found = readIdentifiers(text).slice(0, mostIdentifiers);
  for (const identifier of found) {
    const beside = wordsBeside(words, identifier);
    const [field, other] = wanting.filter(({ nameWords }) =>
      nameWords.some(
        ({ singular }) =>
          !generic.has(singular) && [...beside].some((word) => isSlipOf(word, singular)),
      ),
    );
    if (field !== undefined && other === undefined && !values.has(field))
      values.set(field, identifier.text);
  }
  const [only, second] = found;
  const [field, another] = wanting;
  const isPlain = only !== undefined && second === undefined && another === undefined;
  if (!isPlain || !isAnswer || field === undefined || values.has(field)) return;
  // Counts and phone numbers are not account numbers.
  const isCode = /\p{L}/u.test(only.text) || only.text.length >= 4;
  if (isCode && readPhone(text) === undefined && !/@/u.test(text)) values.set(field, only.text);
}

/** The three words before and the three words after, in one clause with it. */
function wordsBeside(words: readonly Word[], { start, end }: Identifier): Set<string> {
  const own = words.find((word) => word.start >= start)?.clause;
  const before = words.filter((word) => word.end <= start).slice(-3);
  const after = words.filter((word) => word.start >= end).slice(0, 3);
  return new Set(
    [...before, ...after].filter(({ clause }) => clause === own).map(({ singular }) => singular),
  );
}

const troubleWords = new Set(
  'problem issue symptom trouble complaint fault defect matter wrong error concern happened help reason'.split(
    ' ',
  ),
);

/** Whether the field asks what is wrong, in the person's own words. */
export function asksForTrouble(field: Field): boolean {
  if (field.kind.kind !== 'text' || textRequestOf(field).kind !== 'any') return false;
  const asksWhatFails = /\bnot work|doesn['’]t work/iu.test(
    stringOrEmpty(field.schema['description']),
  );
  return asksWhatFails || field.words.some(({ singular }) => troubleWords.has(singular));
}
