import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface AuditFile {
  readonly append: Audit;
  /** Waits for the last entry and closes the file. */
  readonly close: () => Promise<void>;
}

/**
 * Appends entries to a file, one JSON object in a line. Each is on the disk before its promise fulfils; entries that wait at
 * the same time share one write. The file is created with the permissions 0600. It may be renamed at any time, as log
 * rotation does: the next entry begins a new file.
 *
 * @throws the error of the file system when the file cannot be opened
 */
export async function auditFile(path: string): Promise<AuditFile> {
  const log = new AuditLog(path);
  await log.open();
  return { append: (entry) => log.append(entry), close: () => log.close() };
}

interface Waiting {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class AuditLog {
  readonly #path: string;
  #handle: FileHandle | undefined;
  /** The last byte is not a line break: a line was cut off by a crash or by a full disk. */
  #isCut = false;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string) {
    this.#path = path;
  }

  async open(): Promise<void> {
    const { O_APPEND, O_CREAT, O_RDWR } = constants;
    const handle = await open(this.#path, O_APPEND | O_CREAT | O_RDWR, 0o600);
    try {
      const { size } = await handle.stat();
      this.#isCut = size > 0 && (await isCut(handle, size));
      if (size === 0) await syncFolder(dirname(this.#path));
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#handle = handle;
  }

  append(entry: AuditEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(new Error('The audit log is closed.'));
        return;
      }
      this.#waiting.push({ line: `${JSON.stringify(entry)}\n`, resolve, reject });
      this.#writing ??= this.#writeAll().finally(() => {
        this.#writing = undefined;
      });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(batch.map(({ line }) => line).join(''));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  async #write(lines: string): Promise<void> {
    await this.#reopenIfMoved();
    const bytes = Buffer.from(this.#isCut ? `\n${lines}` : lines);
    try {
      const { bytesWritten } = await this.#handle!.write(bytes);
      if (bytesWritten < bytes.length) throw new Error('The disk is full.');
      await this.#handle!.datasync();
      this.#isCut = false;
    } catch (error) {
      // The file is opened again to find out whether part of a line was written.
      await this.#handle?.close();
      this.#handle = undefined;
      throw error;
    }
  }

  /** After a rotation, the file with this name has another inode, or does not exist yet. */
  async #reopenIfMoved(): Promise<void> {
    const present = await stat(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const own = await this.#handle?.stat();
    if (own && present?.ino === own.ino && present.dev === own.dev) return;
    await this.#handle?.close();
    this.#handle = undefined;
    await this.open();
  }
}

async function isCut(handle: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() !== '\n';
}

/** Waits until the names of the files in a folder are on disk. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** One line of the audit log. It has ids, and never texts of messages, definitions, inputs or outputs. docs/access.md#audit */
export interface AuditEntry {
  /** The time in ISO 8601. */
  readonly at: string;
  /** The id of the request: the same in all entries of the request and in the response header `x-request-id`. */
  readonly request: string;
  readonly principal: string;
  readonly via: 'token' | 'socket' | 'loopback';
  readonly tenant?: string;
  /** The IP address of the client. */
  readonly address?: string;
  /** The name of the action, such as `instance.pause`. */
  readonly action: string;
  /** The id of the instance, decision or definition. */
  readonly target?: string;
  /**
   * `started` is written before the action, and the outcome after it. `denied`: the token does not have the scope. A
   * `started` without an outcome means that the process ended during the action.
   */
  readonly outcome: 'started' | 'done' | 'refused' | 'failed' | 'denied';
  /** The status of the response. */
  readonly status?: number;
}

/** Stores an entry before its promise fulfils. A rejection refuses the action. */
export type Audit = (entry: AuditEntry) => void | Promise<void>;
