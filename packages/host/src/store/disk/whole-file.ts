import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { FileSystem } from './file-system.ts';
import { makeFolders } from './make-folders.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { replaceFile } from './replace-file.ts';

/**
 * A file that is replaced as a whole. There is one write at a time, and changes during a write share the next one. Only its
 * owner may write it.
 */
export class WholeFile {
  readonly #path: string;
  readonly #files: FileSystem;
  readonly #content: () => Iterable<string> | AsyncIterable<string>;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  /** Whether the last write is complete. */
  #isStored = true;

  /** @param content returns the whole current content, in parts */
  constructor(
    path: string,
    content: () => Iterable<string> | AsyncIterable<string>,
    files: FileSystem = nodeFileSystem(),
  ) {
    this.#path = resolve(path);
    this.#content = content;
    this.#files = files;
  }

  /** Fulfils when all changes so far are stored. */
  save(): Promise<void> {
    this.#next ??= this.#writing.catch(() => undefined).then(() => this.#begin());
    return this.#next;
  }

  /** Waits until the changes of earlier calls are stored. Retries a failed write. */
  saved(): Promise<void> {
    return this.#isStored ? (this.#next ?? this.#writing) : this.save();
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    this.#writing = this.#write();
    return this.#writing;
  }

  async #write(): Promise<void> {
    this.#isStored = false;
    await makeFolders(dirname(this.#path), this.#files);
    // One name for all processes, because the file has one owner: a killed process may have left its draft.
    const draft = `${this.#path}.tmp`;
    await this.#files.remove(draft);
    await replaceFile(this.#files, draft, this.#path, this.#content());
    this.#isStored = true;
  }
}

/**
 * Reads a file as a whole.
 *
 * @param kind the kind of file that is expected: "a memory file"
 * @returns undefined when the file does not exist
 * @throws Error when the file exists and is not of the kind
 */
export async function readWholeFile<Value>(
  path: string,
  kind: string,
  parse: (text: string) => Value | Promise<Value>,
): Promise<Value | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return await parse(text);
  } catch (cause) {
    throw new Error(`"${path}" is not ${kind}: ${(cause as Error).message}.`, { cause });
  }
}
