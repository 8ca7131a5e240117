import { type Word, wordsOf } from '@dramaturg/compiler/text';

/** How a label introduces its value: in a list ("account: 42"), a sentence ("my name is Ada") or a correction. */
export type LabelKind = 'list' | 'sentence' | 'correction';

/** Words that may name a field, and where the field's value begins. */
export interface Label {
  readonly kind: LabelKind;
  readonly words: readonly Word[];
  /** The index where the label begins, with the "my" before it. */
  readonly start: number;
  readonly valueStart: number;
  /** The last possible end of the value, if known. */
  readonly end?: number;
}

const determiners = new Set(['my', 'the', 'our', 'his', 'her', 'their']);
const joints = new Set([
  'and',
  'but',
  'so',
  'also',
  'actually',
  'no',
  'sorry',
  'well',
  'that',
  'then',
  'because',
  'hi',
  'hello',
]);
const verbs = new Set(['is', 'are', 'was', 'were']);
const changeVerbs = new Set(['change', 'set', 'update', 'correct', 'switch', 'make']);

/** The largest number of words in a label. */
const longestLabel = 5;

/** Everything in the text that may be a label. The caller knows the names of the fields and decides. */
export function labelsIn(text: string): Label[] {
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
  // 17:30 has no label.
  const isTime = /^\d:\d$/.test(text.slice(word.end - 1, word.end + 2));
  if (sign !== undefined && !isTime)
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
  for (let to = first + 1; to <= first + longestLabel; to += 1) {
    const word = words[to];
    if (word === undefined || word.clause !== verb.clause) return undefined;
    if (word.text !== 'to') continue;
    return {
      kind: 'correction',
      words: words.slice(first, to),
      start: verb.start,
      valueStart: word.end,
    };
  }
  return undefined;
}
