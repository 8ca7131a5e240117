import { systemCodeOf } from '../errors.ts';

/**
 * The file operations of stores. `nodeFileSystem` performs them on this machine; a simulation can delay, reorder, fail or lose
 * them. Paths are absolute.
 *
 * Durability: a power cut may lose any part of the writes to a file since its last `flush`, in any order, and any change of names
 * (create, rename, link, remove) in a folder since its last `flushFolder`. Bytes that were never written read as zeros. The death
 * of the process loses nothing.
 *
 * Every operation returns a promise and rejects with an error of the system, which has a `code` such as `ENOENT`.
 */
export interface FileSystem {
  /** Opens a file. New files are readable and writable for their owner only (0600). */
  open(path: string, mode: OpenMode): Promise<OpenFile>;

  /** Reads a whole file. */
  readFile(path: string): Promise<Buffer>;

  /** Lists the names in a folder, in any order. */
  list(folder: string): Promise<readonly string[]>;

  /** Describes a file or folder. Fulfils with undefined when there is none. */
  stat(path: string): Promise<FileStatus | undefined>;

  /**
   * Creates a folder (0700), unless it exists. Rejects with `ENOENT` when its parent is missing: an owner whose store was
   * moved away must not create it again.
   */
  makeFolder(path: string): Promise<void>;

  /** Renames a file or folder atomically. A file that has the new name is replaced. */
  rename(path: string, target: string): Promise<void>;

  /** Gives a file a second name. Rejects with `EEXIST` when the name is used. */
  link(path: string, target: string): Promise<void>;

  /** Removes a file, or a folder with its content. Does nothing when it is missing. */
  remove(path: string): Promise<void>;

  /** Sets the time of the last change, in milliseconds since 1970 UTC. */
  touch(path: string, time: number): Promise<void>;

  /** Waits until the device has the names in a folder. */
  flushFolder(path: string): Promise<void>;
}

/**
 * `read`: the file exists and is read. `write`: the file is read and written, and created when it is missing. `new`:
 * the file is read and written; rejects with `EEXIST` when it exists.
 */
export type OpenMode = 'read' | 'write' | 'new';

export interface FileStatus {
  readonly isFolder: boolean;
  /** Bytes. */
  readonly size: number;
  /** The time of the last change, in milliseconds since 1970 UTC. */
  readonly modifiedAt: number;
}

/** An open file. It stays usable when its name is changed or removed. */
export interface OpenFile {
  /** Bytes. */
  size(): Promise<number>;

  /** Reads a part of the file: fewer bytes than `length` only at its end. */
  read(offset: number, length: number): Promise<Buffer>;

  /** Writes all bytes. When it rejects, any part of them may be written. */
  write(bytes: Uint8Array, offset: number): Promise<void>;

  /** Shortens the file, or extends it with zeros. */
  truncate(size: number): Promise<void>;

  /** Waits until the device has the content. */
  flush(): Promise<void>;

  close(): Promise<void>;
}

/** Lists the names in a folder; none for a missing folder or a file, because files come and go while a store is in use. */
export async function listIfExists(path: string, files: FileSystem): Promise<readonly string[]> {
  try {
    return await files.list(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error) ?? '')) return [];
    throw error;
  }
}

/** @returns undefined when the file does not exist */
export async function readIfExists(path: string, files: FileSystem): Promise<Buffer | undefined> {
  try {
    return await files.readFile(path);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
