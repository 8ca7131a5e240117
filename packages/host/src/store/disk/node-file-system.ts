import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  opendirSync,
  openSync,
  readFileSync,
  readSync,
  rename,
  rm,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { nextTurn } from '@dramaturg/compiler/machine';
import { sliceLength } from '../slices.ts';
import type { FileSystem, OpenFile, OpenMode } from './file-system.ts';
import { Flushes } from './flushes.ts';

const flushHandle = promisify(fsync);
const renameFile = promisify(rename);
const removeFile = promisify(rm);

const { O_CREAT, O_EXCL, O_RDONLY, O_RDWR } = constants;
const flags: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY,
  write: O_RDWR | O_CREAT,
  new: O_RDWR | O_CREAT | O_EXCL,
};

/**
 * The files of this machine. Short operations are synchronous, because the system answers them from memory and a
 * hand-over to another thread takes longer. Flushes, renames and removals wait for the device in another thread.
 */
export function nodeFileSystem(): FileSystem {
  const flushes = new Flushes();
  return {
    open: async (path, mode) => new NodeFile(openSync(path, flags[mode], 0o600), flushes),
    readFile: async (path) => readFileSync(path),
    list,
    stat: async (path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      if (found === undefined) return undefined;
      return { isFolder: found.isDirectory(), size: found.size, modifiedAt: found.mtimeMs };
    },
    makeFolder: async (path) => {
      try {
        mkdirSync(path, { mode: 0o700 });
      } catch (error) {
        if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
      }
    },
    rename: renameFile,
    link: async (path, target) => linkSync(path, target),
    remove: (path) => removeFile(path, { recursive: true, force: true }),
    touch: async (path, time) => utimesSync(path, time / 1_000, time / 1_000),
    flushFolder: async (path) => {
      // Windows cannot flush a folder; it writes names to the device by itself.
      if (process.platform === 'win32') return;
      const folder = openSync(path, O_RDONLY);
      try {
        await flushHandle(folder);
      } finally {
        closeSync(folder);
      }
    },
  };
}

/** Lists a folder, which may have 100,000 names, in slices. Other work gets its turn after each slice. */
async function list(path: string): Promise<string[]> {
  const folder = opendirSync(path, { bufferSize: sliceLength });
  try {
    const names: string[] = [];
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      names.push(entry.name);
      if (names.length % sliceLength === 0) await nextTurn();
    }
    return names;
  } finally {
    folder.closeSync();
  }
}

class NodeFile implements OpenFile {
  readonly #file: number;
  readonly #flushes: Flushes;

  constructor(file: number, flushes: Flushes) {
    this.#file = file;
    this.#flushes = flushes;
  }

  async size(): Promise<number> {
    return fstatSync(this.#file).size;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const got = readSync(this.#file, buffer, filled, length - filled, offset + filled);
      if (got === 0) break;
      filled += got;
    }
    return buffer.subarray(0, filled);
  }

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    // One call may write only a part.
    for (let written = 0; written < bytes.length;) {
      const rest = bytes.length - written;
      written += writeSync(this.#file, bytes, written, rest, offset + written);
    }
  }

  async truncate(size: number): Promise<void> {
    ftruncateSync(this.#file, size);
  }

  flush(): Promise<void> {
    return this.#flushes.flush(this.#file);
  }

  async close(): Promise<void> {
    closeSync(this.#file);
  }
}
