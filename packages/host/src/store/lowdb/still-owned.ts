import type { FileSystem } from '../disk/file-system.ts';
import { StoreError } from '../errors.ts';

/**
 * Checks that the data folder has not been renamed. An owner that was suspended for too long is taken for dead, and the
 * next owner renames the folder. What was written before that belongs to the store, and what was written after it does
 * not.
 *
 * @param path a file or folder in the data folder that exists as long as this owner has the store
 * @throws `store/lost`
 */
export async function checkStillOwned(path: string, files: FileSystem): Promise<void> {
  if ((await files.stat(path)) !== undefined) return;
  throw new StoreError(
    'store/lost',
    `Another owner has taken the store: ${path} is gone. This process writes nothing more. Stop it.`,
  );
}

/** The reason of a failure: an operation may have failed because the store is lost. */
export async function reasonOf(error: unknown, path: string, files: FileSystem): Promise<unknown> {
  try {
    await checkStillOwned(path, files);
    return error;
  } catch (reason) {
    return reason instanceof StoreError ? reason : error;
  }
}
