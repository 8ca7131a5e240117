import type { Json } from '@dramaturg/compiler';
import { readAnswer } from './answer.ts';
import { type Field, textRequestOf } from './field.ts';
import { exactOption } from './reading/choice.ts';
import type { Correction } from './reading/correction.ts';
import { accepts } from './schema.ts';

interface CorrectedField {
  readonly field: Field;
  readonly value: Json;
}

/**
 * The known field that a correction without a name is about: the field whose kind fits, and of several such fields the last known
 * one. A text that may also answer the current question does not correct another field.
 */
export function correctedField(
  correction: Correction,
  fields: readonly Field[],
  asked: Field | undefined,
): CorrectedField | undefined {
  const byName = namedOption(correction.value, fields, asked);
  if (byName !== undefined) return byName;
  if (asked !== undefined && answers(correction, asked)) return undefined;
  const fitting = latestKnown(fields).flatMap((field) => {
    const value = valueOf(correction.value, field);
    const fitsOld = correction.old === undefined || valueOf(correction.old, field) !== undefined;
    return value === undefined || !fitsOld ? [] : [{ field, value }];
  });
  const ofKind = fitting.filter(({ field }) => isSpecific(field));
  if (ofKind.length > 0) return ofKind[0];
  if (correction.isPlain) return fitting.find(({ field }) => field.kind.kind === 'text');
  // "No, Anna": may be a name, and does not answer the question.
  return asked !== undefined && isSpecific(asked)
    ? fitting.find(
        ({ field }) => field.kind.kind === 'text' && textRequestOf(field).kind === 'name',
      )
    : undefined;
}

/** The known field with the correction among its options, unless the current question has that option too. */
function namedOption(
  text: string,
  fields: readonly Field[],
  asked: Field | undefined,
): CorrectedField | undefined {
  const optionOf = (field: Field | undefined) => {
    if (field?.kind.kind !== 'choice') return undefined;
    const index = exactOption(field.kind.options.map(String), text);
    return index === undefined ? undefined : field.kind.options[index];
  };
  if (optionOf(asked) !== undefined) return undefined;
  return latestKnown(fields).flatMap((field) => {
    const value = optionOf(field);
    return value === undefined ? [] : [{ field, value }];
  })[0];
}

/** The known fields, the last known one first. */
function latestKnown(fields: readonly Field[]): readonly Field[] {
  return fields
    .filter(({ collected }) => collected > 0)
    .toReversed()
    .toSorted((a, b) => b.collected - a.collected);
}

function answers(correction: Correction, asked: Field): boolean {
  const value = valueOf(correction.value, asked);
  return value !== undefined && (isSpecific(asked) || !correction.isPlain);
}

/** Whether the field accepts only some texts as values. */
export function isSpecific(field: Field): boolean {
  const { kind } = field.kind;
  if (kind !== 'text') return kind !== 'yes-no' && kind !== 'texts';
  const wanted = textRequestOf(field).kind;
  return wanted !== 'any' && wanted !== 'place' && wanted !== 'name';
}

function valueOf(text: string, field: Field): Json | undefined {
  const answer = readAnswer(text, field, false, []);
  return typeof answer === 'object' && accepts(field.schema, answer.value)
    ? answer.value
    : undefined;
}
