import { statSync } from 'node:fs';
import { quoted, StoreError } from '../errors.ts';

/** The path and the owner of each database that stores of this process have open, by device and inode. */
const openFiles = new Map<string, { readonly path: string; readonly owner: string }>();

/**
 * The file of an open store. It must be checked before this process opens the file for reading: the system releases all
 * locks that a process has on a file when the process closes any handle of it.
 */
export class DatabaseFile {
  readonly path: string;
  readonly #identity: string;

  private constructor(path: string, identity: string) {
    this.path = path;
    this.#identity = identity;
  }

  /** Notes that this process has the file open, until it is released. */
  static open(path: string, owner: string): DatabaseFile {
    const identity = identityOf(path) ?? '';
    openFiles.set(identity, { path, owner });
    return new DatabaseFile(path, identity);
  }

  release(): void {
    openFiles.delete(this.#identity);
  }

  /**
   * Checks that the path still leads to this file. Writes to a replaced or removed file are lost.
   *
   * @throws `store/lost`
   */
  checkIsInPlace(): void {
    if (identityOf(this.path) === this.#identity) return;
    throw new StoreError(
      'store/lost',
      `The file ${this.path} was replaced or removed while the store was open. This process writes nothing more. Stop it, and put the file back.`,
    );
  }
}

/** @throws `store/owned` when a store of this process has the file open, by any path */
export function checkNotOpenHere(path: string): void {
  const found = openFiles.get(identityOf(path) ?? '');
  if (found === undefined) return;
  const otherPath = found.path === path ? '' : ` as ${found.path}`;
  throw new StoreError(
    'store/owned',
    `The store is in use by ${quoted(found.owner)}, in this process${otherPath}. Close it first.`,
  );
}

/** Whether two paths lead to the same file. */
export function isSameFile(path: string, other: string): boolean {
  return identityOf(path) === identityOf(other);
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs functions that read database files one after another in this process, because one may open a file that another one is
 * reading.
 */
export function oneAtATime<Value>(use: () => Promise<Value>): Promise<Value> {
  const result = last.then(use);
  last = result.catch(() => undefined);
  return result;
}
