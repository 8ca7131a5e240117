import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { FileSystem } from '../store/disk/file-system.ts';
import { makeFolders } from '../store/disk/make-folders.ts';
import { nodeFileSystem } from '../store/disk/node-file-system.ts';
import { replaceFile } from '../store/disk/replace-file.ts';
import type { StoredSpending } from './spending-ledger.ts';

/** A JSON file with what was spent. It is replaced as a whole; changes during a write share the next one. */
export class SpendingFile {
  readonly #path: string;
  readonly #content: () => StoredSpending;
  readonly #files: FileSystem;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(path: string, content: () => StoredSpending, files: FileSystem = nodeFileSystem()) {
    this.#path = resolve(path);
    this.#content = content;
    this.#files = files;
  }

  /** Fulfils when all changes so far are stored. */
  save(): Promise<void> {
    this.#next ??= this.#writing
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#writing = this.#write();
        return this.#writing;
      });
    return this.#next;
  }

  async #write(): Promise<void> {
    await makeFolders(dirname(this.#path), this.#files);
    const draft = `${this.#path}.tmp`;
    await this.#files.remove(draft);
    await replaceFile(this.#files, draft, this.#path, [`${JSON.stringify(this.#content())}\n`]);
  }
}

/** @throws Error when the file exists and is not a file of this kind */
export function readSpending(path: string): StoredSpending | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const stored = JSON.parse(text) as StoredSpending;
    if (!Array.isArray(stored.keys)) throw new Error('it has no list "keys"');
    return stored;
  } catch (cause) {
    throw new Error(`"${path}" is not a file of spending: ${(cause as Error).message}.`, { cause });
  }
}
