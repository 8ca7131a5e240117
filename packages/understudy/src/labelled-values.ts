import type { Field } from './field.ts';
import { isSlipOf } from './reading/distance.ts';
import { type Label, labelsIn, type LabelKind } from './reading/label.ts';
import type { Word } from '@dramaturg/compiler/text';
import { excerpt, isStopWord } from './reading/words.ts';

/** A value that the person gave with the field's name: "account: 42", "my name is Ada", "change my name to Bob". */
interface LabelledValue {
  readonly field: Field;
  readonly text: string;
}

export interface LabelledValues {
  readonly found: readonly LabelledValue[];
  /** The text before the first label, which may answer the question. */
  readonly before: string;
}

export function readLabelledValues(message: string, fields: readonly Field[]): LabelledValues {
  const text = excerpt(message);
  const claims = labelsIn(text).flatMap((label) => {
    const field = fieldCalled(label, fields);
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

/** The field that a label names. One that is asked for later is meant only if no other one fits. */
function fieldCalled(label: Label, fields: readonly Field[]): Field | undefined {
  return (
    bestNamed(
      label,
      fields.filter(({ isLater }) => !isLater),
    ) ??
    bestNamed(
      label,
      fields.filter(({ isLater }) => isLater),
    )
  );
}

/** The field that the label's words name best; undefined when two fit equally. */
function bestNamed({ words, kind }: Label, fields: readonly Field[]): Field | undefined {
  const said = words.filter((word) => !isStopWord(word));
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
  return withoutJoin(part ?? '');
}

/** Removes a comma or "and" at the end. */
function withoutJoin(text: string): string {
  const tail = Math.max(0, text.length - 40);
  return (
    text.slice(0, tail) +
    text.slice(tail).replace(/[\s,;]{0,9}(?:\b(?:and|but))?[\s,;]{0,9}$/iu, '')
  ).trim();
}
