import { DamageError } from '../damage-error.ts';
import { systemCodeOf } from '../errors.ts';

/** Converts an error about the files of one record. Returns undefined for an error of the system as a whole. */
export function toDamageError(error: unknown): DamageError | undefined {
  if (error instanceof DamageError) return error;
  const sentence = sentences[systemCodeOf(error) ?? ''];
  return sentence === undefined ? undefined : new DamageError(sentence, { cause: error });
}

const sentences: Readonly<Record<string, string>> = {
  EISDIR: 'One of its files is a folder.',
  ENOTDIR: 'One of its folders is a file.',
  ELOOP: 'One of its files is a link to itself.',
  ERR_FS_FILE_TOO_LARGE: 'One of its files is too large to be read.',
  ERR_STRING_TOO_LONG: 'One of its files is too large to be read.',
};
