import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { FileSystem } from '../disk/file-system.ts';
import { makeFolders } from '../disk/make-folders.ts';
import { StoreError } from '../errors.ts';

const linksMax = 40;

/**
 * The path of the file itself, so that all links to it share one lock, one log and one name. The file need not exist. Its
 * folder is created.
 */
export async function pathOfNewFile(file: string, files: FileSystem): Promise<string> {
  const path = pathBehindLinks(file);
  await makeFolders(dirname(path), files);
  return join(realpathSync(dirname(path)), basename(path));
}

export function pathBehindLinks(file: string): string {
  let path = resolve(file);
  for (let links = 0; links < linksMax; links += 1) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
    path = resolve(dirname(path), readlinkSync(path));
  }
  throw new StoreError('store/foreign', `${file} is a symbolic link that leads to itself.`);
}
