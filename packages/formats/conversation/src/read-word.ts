import type { Problem } from '@dramaturg/compiler/format';
import type { Fields } from './fields.ts';

/** The word of a list that a field has, ignoring capitals and the blanks around it. Another word is reported. */
export function readWord<Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
  unknown: (written: string, words: readonly string[]) => Problem,
): Word | undefined {
  const written = fields.optional(name);
  const plain = written?.trim().toLowerCase();
  const word = words.find((one) => one.toLowerCase() === plain);
  if (written !== undefined && word === undefined) fields.report(unknown(written, words), name);
  return word;
}
