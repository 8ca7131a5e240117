import { isAbsolute, relative, resolve, sep } from 'node:path';
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
