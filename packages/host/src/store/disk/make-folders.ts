import { dirname } from 'node:path';
import type { FileSystem } from './file-system.ts';

/** Creates a folder with its parents, unless it exists. The names of new folders are flushed to the device. */
export async function makeFolders(path: string, files: FileSystem): Promise<void> {
  if ((await files.stat(path)) !== undefined) return;
  const parent = dirname(path);
  await makeFolders(parent, files);
  await files.makeFolder(path);
  await files.flushFolder(parent);
}
