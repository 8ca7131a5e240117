import { DamageError } from '../damage-error.ts';
import { systemCodeOf } from '../errors.ts';

/** What an error says of the files of one record; undefined when it says nothing of them, but of the system. */
export function toDamageError(error: unknown): DamageError | undefined {
  if (error instanceof DamageError) return error;
  const sentence = sentences[systemCodeOf(error) ?? ''];
  return sentence === undefined ? undefined : new DamageError(sentence, { cause: error });
}

const sentences: Readonly<Record<string, string>> = {
  EIO: 'The device cannot read one of its files.',
  EISDIR: 'A folder is where one of its files should be.',
  ENOTDIR: 'A file is where a folder should be.',
  ELOOP: 'One of its files is a link that leads back to itself.',
  ERR_FS_FILE_TOO_LARGE: 'One of its files is too large to be read.',
  ERR_STRING_TOO_LONG: 'One of its files is too large to be read.',
};
