import { listed } from './reading/words.ts';
import type { Json } from '@dramaturg/compiler';
import { type Word, wordsOf } from '@dramaturg/compiler/text';
import { isWeighed, readAnswer, readPattern } from './answer.ts';
import { type Field, stringOrEmpty, textKindOf } from './field.ts';
import { readMentionedValues } from './mentioned-values.ts';
import { answeringPart, excerpt, isStopWord, readDecline } from './reading/phrases.ts';
import { clausesOf } from './reading/clauses.ts';
import { isSlipOf } from './reading/words.ts';
import { readIntroducedName } from './reading/name.ts';
import { readEmail, readIdentifiers, readPhone, readPlaceNamed, readUrl } from './reading/text.ts';

const subject =
  /^(?:(?:because|since|as|so|that|but|and|well) )*(?:my|our|the|it|there|something|nothing|i|we|they|you|someone)(?:['’]\w{1,3})?\s/iu;

const cue =
  /n['’]t\b|\b(?:cannot|not|no|never|longer|dark|black|blank|broken|broke|slow|crash(?:es|ed)?|fail(?:s|ed)?|wrong|stuck|lost|error|late|missing|stop(?:s|ped)|trouble|problem|issue|damaged|dead|freez(?:es|ing)|frozen|twice|too|stays?|keeps?|leak(?:s|ing)?|noise|smell|hurt|hurts|pain|stolen|locked|blocked|empty|bad|unable|forgot|declined|charged|overcharged|delayed|down|off)\b/iu;

const introducing =
  /^(?:i['’]?m|i am|my name|this is|it['’]s (?:me|(?:not )?for)|call me|my (?:account|order|customer|phone|email|number))\b/iu;

/** The clauses of a text that describe a problem: "my screen stays dark". */
export function readTrouble(text: string): string | undefined {
  const clauses = excerpt(text)
    .slice(0, 1_000)
    .replace(/^[^,;.!?]{1,80}, so /iu, '')
    .split(/[,;!?\n]|\.(?=\s|$)|\s(?:and|but|because)\s/iu)
    .map((clause) => clause.trim().replace(/^(?:and|but|because)\s+/iu, ''));
  const telling = clauses.filter((clause) => {
    const words = clause.split(/\s+/u);
    return (
      words.length >= 3 &&
      subject.test(clause) &&
      cue.test(clause) &&
      !introducing.test(clause) &&
      !/\d{4}/u.test(clause) &&
      readDecline(clause) === undefined
    );
  });
  return telling.length === 0 ? undefined : telling.join(', ');
}

/**
 * The values that a text states plainly, independent of the question: by the field's name ("my age is 36", "account 4711-B"), or
 * by a kind that only one of the fields has (an email address, a name in an introduction).
 */
export function factsIn(text: string, fields: readonly Field[]): Map<Field, Json> {
  const said = answeringPart(text);
  const firm = clausesOf(said).filter(({ stance, depends }) => stance !== 'rejected' && !depends);
  return new Map([
    ...statedIn(
      said,
      fields.filter((field) => !isWeighed(field) || field.kind.kind === 'text'),
    ),
    ...statedIn(
      firm.map((clause) => clause.text).join(' '),
      fields.filter((field) => isWeighed(field) && field.kind.kind !== 'text'),
    ),
  ]);
}

function statedIn(said: string, fields: readonly Field[]): Map<Field, Json> {
  const values = readMentionedValues(said, fields);
  const ofKind = kindReader(said, fields, values);
  ofKind('email', readEmail);
  ofKind('url', (part) => readUrl(part.replace(/\S{1,64}@\S{1,255}/gu, '')));
  ofKind('phone', (part) => readPhone(part));
  ofKind('name', readIntroducedName);
  ofKind('place', readPlaceNamed);
  readNumbered(said, fields, values);
  for (const field of fields) {
    const value = field.kind.kind === 'text' ? readPattern(said, field) : undefined;
    if (value !== undefined) values.set(field, value);
  }
  recordLabelled(readLabelledValues(said, fields), values);
  const troubled = fields.filter((field) => asksForTrouble(field) && !values.has(field));
  const trouble = troubled.length === 1 ? readTrouble(said) : undefined;
  if (trouble !== undefined) values.set(troubled[0]!, trouble);
  return values;
}

/** Sets the value of the only field of a kind, if the text has one. */
function kindReader(said: string, fields: readonly Field[], values: Map<Field, Json>) {
  return (kind: string, read: (text: string) => string | undefined) => {
    const wanting = fields.filter(
      (field) =>
        textKindOf(field) === kind &&
        // "I'm from Berlin" is not the end of a journey.
        !(
          kind === 'place' &&
          /\b(?:go|travel|fly)\b/iu.test(stringOrEmpty(field.schema['description']))
        ),
    );
    const value = wanting.length === 1 ? read(said) : undefined;
    if (value !== undefined) values.set(wanting[0]!, value);
  };
}

/** Words of many names of fields. */
export const generic = listed('number id no nr code');

const mostIdentifiers = 20;

/** Reads identifiers such as account numbers next to a word of the field's name. */
function readNumbered(said: string, fields: readonly Field[], values: Map<Field, Json>): void {
  const wanting = fields.filter((field) => textKindOf(field) === 'identifier');
  if (wanting.length === 0) return;
  const words = wordsOf(excerpt(said));
  for (const { text, start } of readIdentifiers(excerpt(said)).slice(0, mostIdentifiers)) {
    const at = words.findIndex((word) => word.start >= start);
    const beside = words
      .slice(Math.max(0, at - 3), at + 1 + text.split(' ').length + 3)
      .filter(({ clause }) => clause === words[at]?.clause);
    const [field, other] = wanting.filter(({ nameWords }) =>
      nameWords.some((word) => !generic.has(word.singular) && has(beside, word)),
    );
    if (field !== undefined && other === undefined && !values.has(field)) values.set(field, text);
  }
}

const troubleWords = listed(
  'problem issue symptom trouble complaint fault defect matter wrong error concern happened help reason',
);

/** Whether the field asks for a problem, in the person's own words. */
export function asksForTrouble(field: Field): boolean {
  if (textKindOf(field) !== 'any') return false;
  const asksWhatFails = /\bnot work|doesn['’]t work/iu.test(
    stringOrEmpty(field.schema['description']),
  );
  return asksWhatFails || field.words.some(({ singular }) => troubleWords.has(singular));
}

/** Values that the person gave with the names of their fields: "account: 42", "my name is Ada", "change my name to Bob". */
interface LabelledValues {
  readonly found: readonly { readonly field: Field; readonly text: string }[];
  /** The text before the first label, which may answer the question. */
  readonly before: string;
}

export function readLabelledValues(message: string, fields: readonly Field[]): LabelledValues {
  const text = excerpt(message);
  const claims = labelsIn(text).flatMap((label) => {
    const isNumber = label.words.every(({ text: word }) => generic.has(word) || word === 'new');
    const phone = isNumber && readPhone(text.slice(label.valueStart, label.valueStart + 30));
    const phones = fields.filter((each) => textKindOf(each) === 'phone');
    const field = phone && phones.length === 1 ? phones[0] : fieldCalled(label, fields);
    return field === undefined ? [] : [{ label, field }];
  });
  const found = claims.flatMap(({ label, field }, index) => {
    const end = Math.min(label.end ?? text.length, claims[index + 1]?.label.start ?? text.length);
    const value = valueIn(text.slice(label.valueStart, end), label.kind);
    return value === '' ? [] : [{ field, text: value }];
  });
  const first = claims[0];
  return {
    found,
    before: first === undefined ? message : withoutJoin(text.slice(0, first.label.start)),
  };
}

/** Records what follows the labels. Text that is not a value clears the field. */
export function recordLabelled({ found }: LabelledValues, values: Map<Field, Json>): void {
  for (const { field, text } of found) {
    const answer = readAnswer(text, field, false, []);
    if (typeof answer === 'object') values.set(field, answer.value);
    else values.delete(field);
  }
}

/** The field that a label names. A field that is asked for later is meant only if no other field fits. */
function fieldCalled(label: Label, fields: readonly Field[]): Field | undefined {
  const among = (isLater: boolean) => fields.filter((field) => field.isLater === isLater);
  return bestNamed(label, among(false)) ?? bestNamed(label, among(true));
}

/** The field that the label's words name best; undefined when two fit equally. */
function bestNamed({ words, kind }: Label, fields: readonly Field[]): Field | undefined {
  const said = words.filter((word) => !isStopWord(word) && word.text !== 'new');
  if (said.length === 0) return undefined;
  // "My account is locked" does not give an account number; "account: 42" does.
  const whole = kind === 'sentence';
  const ranked = fields
    .filter((field) => said.every((word) => has(field.words, word)))
    .map((field) => ({ field, score: coverage(field.nameWords, said) }))
    .filter(({ score }) => (whole ? score === 1 : score > 0 || kind === 'list'))
    .toSorted((a, b) => b.score - a.score);
  const [best, second] = ranked;
  return best === undefined || best.score === second?.score ? undefined : best.field;
}

function coverage(name: readonly Word[], said: readonly Word[]): number {
  return name.length === 0 ? 0 : name.filter((word) => has(said, word)).length / name.length;
}

function has(words: readonly Word[], { singular }: Word): boolean {
  return words.some((word) => isSlipOf(singular, word.singular));
}

/** A value in a sentence ends with the sentence; one in a list ends with its line or before the next label. */
function valueIn(text: string, kind: LabelKind): string {
  const part =
    kind === 'list' ? text.split(/[;\n]/u, 1)[0] : text.split(/[;\n]|[.!?](?=\s)/u, 1)[0];
  return withoutJoin((part ?? '').replace(/^\s*(?:spel(?:led|t)|written) |,? not \S+$/giu, ''));
}

/** Removes a comma or "and" at the end. */
function withoutJoin(text: string): string {
  const tail = Math.max(0, text.length - 40);
  return (
    text.slice(0, tail) +
    text.slice(tail).replace(/[\s,;]{0,9}(?:\b(?:and|but))?[\s,;]{0,9}$/iu, '')
  ).trim();
}

/** How a label introduces its value: in a list ("account: 42"), a sentence ("my name is Ada") or a correction. */
type LabelKind = 'list' | 'sentence' | 'correction';

/** Words that may name a field, and where the field's value begins. */
interface Label {
  readonly kind: LabelKind;
  readonly words: readonly Word[];
  /** The index where the label begins, with the "my" before it. */
  readonly start: number;
  readonly valueStart: number;
  /** The last possible end of the value, if known. */
  readonly end?: number;
}

const determiners = listed('my the our his her their');
const joints = listed('and but so also actually no sorry well that then because hi hello');
const verbs = listed('is are was were');
const changeVerbs = listed('change set update correct switch make');

/** The largest number of words in a label. */
const longestLabel = 5;

/** Everything in the text that may be a label. The caller knows the names of the fields and decides. */
function labelsIn(text: string): Label[] {
  const words = wordsOf(text);
  return words.flatMap(
    (_, index) => labelBefore(text, words, index) ?? changeAt(words, index) ?? [],
  );
}

/** A label that ends with the word at `index`: a colon, an equals sign or a verb follows it. */
function labelBefore(text: string, words: readonly Word[], index: number): Label | undefined {
  const word = words[index];
  const next = words[index + 1];
  if (word === undefined) return undefined;
  const sign = /^\s{0,3}(?:[:=]|->)/u.exec(text.slice(word.end, word.end + 6))?.[0];
  // 17:30 and https://example.com have no labels.
  const isPart = /^(?:\d:\d|.:\/)/.test(text.slice(word.end - 1, word.end + 2));
  if (sign !== undefined && !isPart)
    return labelEndingAt(words, index, 'list', word.end + sign.length);
  if (word.text.endsWith("'s") && next !== undefined)
    return labelEndingAt(words, index, 'sentence', word.end);
  if (next === undefined || next.clause !== word.clause) return undefined;
  if (next.text === 'should' && words[index + 2]?.text === 'be') {
    return labelEndingAt(words, index, 'correction', words[index + 2]?.end ?? next.end);
  }
  if (!verbs.has(next.text)) return undefined;
  const after = words[index + 2];
  if (after?.text === 'not' || after?.text === 'that') return undefined;
  return labelEndingAt(words, index, 'sentence', next.end);
}

function labelEndingAt(
  words: readonly Word[],
  last: number,
  kind: LabelKind,
  valueStart: number,
): Label | undefined {
  let first = last;
  for (; first > last - longestLabel; first -= 1) {
    const before = words[first - 1];
    if (before === undefined || before.clause !== words[last]?.clause) break;
    if (determiners.has(before.text) || joints.has(before.text)) break;
  }
  const label = words.slice(first, last + 1);
  const before = words[first - 1];
  const start =
    before !== undefined && determiners.has(before.text) ? before.start : label[0]?.start;
  return start === undefined ? undefined : { kind, words: label, start, valueStart };
}

/** "change X to Y", where X is the label. */
function changeAt(words: readonly Word[], index: number): Label | undefined {
  const verb = words[index];
  if (verb === undefined || !changeVerbs.has(verb.text)) return undefined;
  const first = determiners.has(words[index + 1]?.text ?? '') ? index + 2 : index + 1;
  const length = words
    .slice(first, first + longestLabel + 1)
    .findIndex(({ text }) => text === 'to');
  const to = words[first + length];
  if (to === undefined || length < 1 || to.clause !== verb.clause) return undefined;
  const label = words.slice(first, first + length);
  return { kind: 'correction', words: label, start: verb.start, valueStart: to.end };
}
