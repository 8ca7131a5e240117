import { basename, dirname } from 'node:path';
import { overriding } from '../overriding.ts';
import type { FileSystem, OpenFile } from './file-system.ts';
import type { AtWritePoint } from './write-point.ts';

/**
 * Passes a write point before each operation that changes the device, and after each flush. A crash may leave a partial
 * write, so a write is done in two halves with a write point in between.
 */
export function filesWithWritePoints(files: FileSystem, reach: AtWritePoint): FileSystem {
  const opened = (file: OpenFile, path: string): OpenFile => {
    const name = nameOf(path);
    return {
      size: () => file.size(),
      read: (offset, length) => file.read(offset, length),
      write: async (bytes, offset) => {
        reach(`${name}.write`);
        const half = bytes.length >> 1;
        await file.write(bytes.subarray(0, half), offset);
        reach(`${name}.write-rest`);
        await file.write(bytes.subarray(half), offset + half);
      },
      truncate: async (size) => {
        reach(`${name}.truncate`);
        await file.truncate(size);
      },
      flush: async () => {
        reach(`${name}.flush`);
        await file.flush();
        reach(`${name}.flushed`);
      },
      close: () => file.close(),
    };
  };
  return overriding(files, {
    open: async (path, mode) => {
      if (mode !== 'read') reach(`${nameOf(path)}.open`);
      return opened(await files.open(path, mode), path);
    },
    makeFolder: async (path) => {
      reach(`${nameOf(path)}.make`);
      await files.makeFolder(path);
    },
    rename: async (path, target) => {
      reach(`${nameOf(target)}.rename`);
      await files.rename(path, target);
    },
    link: async (path, target) => {
      reach(`${nameOf(target)}.link`);
      await files.link(path, target);
    },
    remove: async (path) => {
      reach(`${nameOf(path)}.remove`);
      await files.remove(path);
    },
    flushFolder: async (path) => {
      reach(`${nameOf(path)}.flush-folder`);
      await files.flushFolder(path);
      reach(`${nameOf(path)}.flushed-folder`);
    },
  });
}

/** The role of a file, the same for all records: `record`, or `journal` for each file of a journal. */
function nameOf(path: string): string {
  const folder = basename(dirname(path));
  const name = basename(path);
  if (['records', 'damaged', 'temporary'].includes(folder)) return folder;
  return name.replace(/-[\d-]+/, '').replace(/\.[^.]*$/, '');
}
