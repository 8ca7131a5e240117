import { dirname } from 'node:path';
import type { FileSystem } from './file-system.ts';

type FileContent = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;

/**
 * Replaces the content of a file atomically, and waits until the device has content and name.
 *
 * @param draft a path on the same device for the incomplete file
 */
export async function replaceFile(
  files: FileSystem,
  draft: string,
  path: string,
  content: FileContent,
): Promise<void> {
  await replaceUnflushed(files, draft, path, content);
  await files.flushFolder(dirname(path));
}

/** Replaces the content of a file atomically. The content is flushed before the name: the caller flushes the folder. */
export async function replaceUnflushed(
  files: FileSystem,
  draft: string,
  path: string,
  content: FileContent,
): Promise<void> {
  try {
    const file = await files.open(draft, 'new');
    try {
      let offset = 0;
      for await (const part of content) {
        const bytes = typeof part === 'string' ? Buffer.from(part) : part;
        await file.write(bytes, offset);
        offset += bytes.length;
      }
      // Before the rename: otherwise a power cut could leave an empty file under the name.
      await file.flush();
    } finally {
      await file.close();
    }
    await files.rename(draft, path);
  } catch (error) {
    await files.remove(draft).catch(() => undefined);
    throw error;
  }
}
