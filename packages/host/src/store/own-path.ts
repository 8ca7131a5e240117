import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { type FileSystem, listIfExists } from './disk/file-system.ts';
import { StoreError } from './errors.ts';

/**
 * Refuses to copy a store into itself.
 *
 * @param path the folder or the file of the store
 * @param ownFiles other files of the store
 * @throws `store/bad-request` when the target is in the folder of the store, or is one of its files
 */
export function checkOutside(path: string, target: string, ownFiles: readonly string[] = []): void {
  const way = relative(path, resolve(target));
  const isInside = way !== '' && !isAbsolute(way) && way.split(sep)[0] !== '..';
  if (!isInside && !ownFiles.includes(resolve(target))) return;
  throw new StoreError(
    'store/bad-request',
    `${target} belongs to the store ${path} itself: the copy would be lost with it. Name a path outside of the store.`,
  );
}

/** @throws `store/exists` when the path of a new copy exists, even as a link that leads nowhere */
export async function checkIsNew(target: string, files: FileSystem): Promise<void> {
  const path = resolve(target);
  const names = await listIfExists(dirname(path), files);
  if (names.includes(basename(path)))
    throw new StoreError('store/exists', `${target} exists already. Name a path where nothing is.`);
}
