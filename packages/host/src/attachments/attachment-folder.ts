import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { makeFolders } from '../store/disk/make-folders.ts';
import { replaceFile } from '../store/disk/replace-file.ts';
import { nodeSystem } from '../store/disk/system.ts';
import { systemCodeOf } from '../store/errors.ts';
import type { AttachmentPlace } from './attachment-files.ts';

/**
 * A folder for the files that people send, readable for its owner only. A crash leaves the whole file or none.
 *
 * @example
 * ```ts
 * const place = attachmentFolder('attachments');
 * await place.write('ada/1', new TextEncoder().encode('Hello'));
 * console.log(await place.list('ada/')); // → [ 'ada/1' ]
 * ```
 */
export function attachmentFolder(folder: string): AttachmentPlace {
  const root = resolve(folder);
  const { files } = nodeSystem();
  const pathOf = (name: string) => {
    const path = resolve(root, name);
    if (path.startsWith(join(root, '/'))) return path;
    throw new TypeError(`${JSON.stringify(name)} leads out of the folder ${root}.`);
  };
  return {
    write: async (name, bytes) => {
      const path = pathOf(name);
      await makeFolders(dirname(path), files);
      await replaceFile(files, `${path}.${randomUUID()}.draft`, path, [bytes]);
    },
    read: (name) => readFile(pathOf(name)).catch(missing),
    // A draft of a crash is deleted with the files of its contact.
    list: async (prefix) => {
      const below = dirname(`${prefix}x`);
      const names = (await readdir(pathOf(`${below}/x/..`)).catch(missing)) ?? [];
      return names.map((name) => `${below}/${name}`).filter((name) => name.startsWith(prefix));
    },
    delete: async (name) => {
      const path = pathOf(name);
      await rm(path, { force: true });
      await files.flushFolder(dirname(path)).catch(missing);
    },
  };
}

function missing(error: unknown): undefined {
  if (systemCodeOf(error) === 'ENOENT') return undefined;
  throw error;
}
