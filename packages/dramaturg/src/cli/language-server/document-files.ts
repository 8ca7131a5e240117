import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { standardInput } from '../files.ts';

/** The file of a document; standard input for a document that is not on this computer, such as one that was never saved. */
export function fileOf(uri: string): string {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : standardInput;
  } catch {
    return standardInput;
  }
}

/** The name of a document without its folders, also of one that has no file. */
export function fileNameOf(uri: string): string {
  const name = posix.basename(uri.replace(/[?#].*$/s, ''));
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
