import { type Adapter, Low } from 'lowdb';
import { basename } from 'node:path';
import { checksum } from '../checksum.ts';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, readIfExists } from '../disk/file-system.ts';
import { replaceFile } from '../disk/replace-file.ts';

/**
 * A file of formatted JSON with its checksum, as an adapter of lowdb. It replaces lowdb's own `JSONFile`, which flushes neither
 * the file nor its folder, so that a power cut could leave an empty file.
 *
 * A file without the line `sum` was changed by a person: `sum` is then undefined, and the owner of the file decides.
 */
export class CheckedFile<Content extends object> implements Adapter<Content | null> {
  readonly #path: string;
  readonly #files: FileSystem;
  readonly #draft: () => string;
  /** The checksum of what was read or written last. */
  sum: string | undefined;

  /** @param draft names a new path on the same device, for an incomplete file */
  constructor(path: string, files: FileSystem, draft: () => string) {
    this.#path = path;
    this.#files = files;
    this.#draft = draft;
  }

  /**
   * @returns null when there is no file
   * @throws `DamageError`
   */
  async read(): Promise<Content | null> {
    const text = (await readIfExists(this.#path, this.#files))?.toString();
    if (text === undefined) return null;
    const name = `Its file ${basename(this.#path)}`;
    let content: unknown;
    try {
      content = JSON.parse(text);
    } catch (cause) {
      throw new DamageError(`${name} is not JSON.`, { cause });
    }
    if (content === null || typeof content !== 'object' || Array.isArray(content))
      throw new DamageError(`${name} has other content.`);
    const { sum, ...fields } = content as { readonly sum?: string };
    this.sum = sum;
    // The text as a whole: a changed space is a change, too.
    const written = sum === undefined ? '' : JSON.stringify(fields, null, 2);
    if (sum !== undefined && (sum !== checksum(written) || text !== withSum(sum, written)))
      throw new DamageError(`${name} differs from what was written: the checksum does not match.`);
    return fields as Content;
  }

  async write(content: Content | null): Promise<void> {
    const written = JSON.stringify(content, null, 2);
    this.sum = checksum(written);
    await replaceFile(this.#files, this.#draft(), this.#path, [withSum(this.sum, written)]);
  }
}

/** Reads a file with lowdb. */
export async function readThrough<Content extends object>(
  file: CheckedFile<Content>,
): Promise<Content | null> {
  const low = new Low<Content | null>(file, null);
  await low.read();
  return low.data;
}

/** Replaces a file with lowdb. */
export async function writeThrough<Content extends object>(
  file: CheckedFile<Content>,
  content: Content,
): Promise<void> {
  await new Low<Content | null>(file, content).write();
}

function withSum(sum: string, written: string): string {
  return `{\n  "sum": ${JSON.stringify(sum)},${written.slice(1)}\n`;
}
