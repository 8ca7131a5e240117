import type { Json } from '@dramaturg/compiler';
import { readAnswer } from './answer.ts';
import { type Field, textWanted } from './field.ts';
import { exactOption } from './reading/choice.ts';
import type { Correction } from './reading/correction.ts';
import { accepts } from './schema.ts';

interface Corrected {
  readonly field: Field;
  readonly value: Json;
}

/**
 * The known field that a correction without a name is about: the one whose kind it fits, and of several the one that
 * became known last. What may just as well answer the question that was asked is no correction of another field.
 */
export function correctedField(
  correction: Correction,
  fields: readonly Field[],
  asked: Field | undefined,
): Corrected | undefined {
  const byName = namedOption(correction.value, fields, asked);
  if (byName !== undefined) return byName;
  if (asked !== undefined && answers(correction, asked)) return undefined;
  const fitting = fields
    .filter(({ collected }) => collected)
    .toReversed()
    .flatMap((field) => {
      const value = valueOf(correction.value, field);
      const fitsOld = correction.old === undefined || valueOf(correction.old, field) !== undefined;
      return value === undefined || !fitsOld ? [] : [{ field, value }];
    });
  const ofKind = fitting.filter(({ field }) => isTelling(field));
  if (ofKind.length > 0) return ofKind[0];
  if (correction.isPlain) return fitting.find(({ field }) => field.kind.kind === 'text');
  // "No, Anna": what can be a name, and is no answer to the question.
  return asked !== undefined && isTelling(asked)
    ? fitting.find(({ field }) => field.kind.kind === 'text' && textWanted(field).kind === 'name')
    : undefined;
}

/** The known field of which the correction is an option, by its name, unless it is one of the asked field as well. */
function namedOption(
  text: string,
  fields: readonly Field[],
  asked: Field | undefined,
): Corrected | undefined {
  const optionOf = (field: Field | undefined) => {
    if (field?.kind.kind !== 'choice') return undefined;
    const index = exactOption(field.kind.options.map(String), text);
    return index === undefined ? undefined : field.kind.options[index];
  };
  if (optionOf(asked) !== undefined) return undefined;
  return fields
    .filter(({ collected }) => collected)
    .toReversed()
    .flatMap((field) => {
      const value = optionOf(field);
      return value === undefined ? [] : [{ field, value }];
    })[0];
}

function answers(correction: Correction, asked: Field): boolean {
  const value = valueOf(correction.value, asked);
  return value !== undefined && (isTelling(asked) || !correction.isPlain);
}

/** Not every text is a value of the field. */
function isTelling({ kind, schema, nameWords, words, path, collected }: Field): boolean {
  if (kind.kind !== 'text') return kind.kind !== 'yes-no' && kind.kind !== 'texts';
  const wanted = textWanted({ kind, schema, nameWords, words, path, collected }).kind;
  return wanted !== 'any' && wanted !== 'place' && wanted !== 'name';
}

function valueOf(text: string, field: Field): Json | undefined {
  const answer = readAnswer(text, field, false, []);
  return typeof answer === 'object' && accepts(field.schema, answer.value)
    ? answer.value
    : undefined;
}
