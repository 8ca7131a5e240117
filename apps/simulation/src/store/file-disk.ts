import { join } from 'node:path';
import { lowdbStore, type StoreLocation } from '@dramaturg/host';
import type { FileSystem, OpenFile, System } from '@dramaturg/host/store';
import {
  type Chance,
  type FileOperation,
  overriding,
  SimulatedFiles,
  systemError,
} from '@dramaturg/testing';
import type { Breakage } from '../faults/breakages.ts';
import type { SimulatedProcess } from '../machine/process.ts';
import type { Scheduler } from '../time/scheduler.ts';

/** The disk of a simulation, with one store. It outlives processes. */
export interface Disk {
  /** The store, as a process sees it. */
  place(process: SimulatedProcess): StoreLocation;
  /** Loses what was not flushed. All processes have ended. */
  cutPower(): void;
  /** The paths of all files that contain a string; empty when the disk has no files. */
  filesWith(text: string): Promise<readonly string[]>;
}

/** The present faults of a disk. */
export interface DiskTrouble {
  /** The share of writes that fail. */
  readonly failures: number;
  /** Whether the disk is full. */
  readonly isFull: boolean;
  /** The longest time that a flush takes, in milliseconds. */
  readonly flushMs: number;
}

export const soundDisk: DiskTrouble = { failures: 0, isFull: false, flushMs: 3 };

const folder = '/data/store';

/** The size of the journal at which it is folded, in bytes. It is small, so that crashes hit the folding. */
const journalSize = 16_384;

/**
 * A store touches its lock every second. A simulated day has fewer touches, because a store must also work with slow timers: each
 * pause without work is this many times longer.
 */
const slowness = 300;

const writingOperations = new Set<FileOperation>([
  'open',
  'rename',
  'link',
  'remove',
  'write',
  'truncate',
]);

/** The lowdb store on files in memory. A power cut loses, tears and reorders unflushed writes. */
export class FileDisk implements Disk {
  trouble: DiskTrouble = soundDisk;
  readonly #scheduler: Scheduler;
  readonly #chance: Chance;
  readonly #reach: (point: string, process: SimulatedProcess) => void;
  readonly #onError: (error: Error, process: SimulatedProcess) => void;
  readonly #processes: SimulatedProcess[] = [];
  readonly #breakage: Breakage | undefined;
  #files: SimulatedFiles;

  constructor(
    scheduler: Scheduler,
    chance: Chance,
    reach: (point: string, process: SimulatedProcess) => void,
    onError: (error: Error, process: SimulatedProcess) => void,
    breakage: Breakage | undefined,
  ) {
    this.#breakage = breakage;
    this.#scheduler = scheduler;
    this.#chance = chance;
    this.#reach = reach;
    this.#onError = onError;
    this.#files = this.#prepared(new SimulatedFiles(undefined, () => scheduler.now));
  }

  place(process: SimulatedProcess): StoreLocation {
    this.#processes.push(process);
    return lowdbStore(folder, {
      system: this.#systemOf(process, this.#processes.length),
      fsync: 'always',
      journalSize,
      onError: (error) => this.#onError(error, process),
    });
  }

  cutPower(): void {
    this.#files = this.#prepared(this.#files.cut(() => this.#chance.next()));
  }

  async filesWith(text: string): Promise<readonly string[]> {
    const found: string[] = [];
    const pending = ['/'];
    for (const path of pending) {
      const status = await this.#files.stat(path);
      if (status?.isFolder)
        for (const name of await this.#files.list(path)) pending.push(join(path, name));
      else if ((await this.#files.readFile(path)).includes(text)) found.push(path);
    }
    return found;
  }

  #prepared(files: SimulatedFiles): SimulatedFiles {
    files.before = (operation, path) => this.#before(operation, path);
    return files;
  }

  /** Delays an operation, and sometimes fails it. */
  async #before(operation: FileOperation, path: string): Promise<void> {
    const { failures, isFull, flushMs } = this.trouble;
    const isFlush = operation === 'flush' || operation === 'flushFolder';
    if (isFlush) await this.#scheduler.sleep(this.#chance.next() * flushMs);
    else if (writingOperations.has(operation)) await this.#scheduler.sleep(this.#chance.next());
    if (isFull && (operation === 'write' || operation === 'open'))
      throw systemError('ENOSPC', path);
    if (failures > 0 && this.#chance.next() < failures / 4) throw systemError('EIO', path);
  }

  #systemOf(process: SimulatedProcess, pid: number): System {
    const { clock, machine } = process;
    const scheduler = this.#scheduler;
    const after = (milliseconds: number, run: () => void) => {
      const isIdle = milliseconds >= 1_000;
      const delayMs = isIdle ? milliseconds * slowness : milliseconds;
      return scheduler.after(delayMs, () => process.enter(run));
    };
    const files = processFiles(process, {
      files: () => this.#files,
      reach: (operation) => this.#reach(`file.${operation}`, process),
    });
    return {
      files: overriding(files, this.#breakage?.files?.(files) ?? {}),
      scheduler: {
        now: () => clock.world.now(),
        after,
        pause: (milliseconds) => process.await(scheduler.sleep(milliseconds)),
        yield: () => process.await(scheduler.sleep(0)),
      },
      processes: {
        self: () => ({ pid, host: machine, space: machine, began: String(pid) }),
        isAlive: (other) =>
          other.host === machine ? !this.#processes[other.pid - 1]?.hasEnded : undefined,
      },
      randomId: () => clock.world.uuid(),
    };
  }
}

/**
 * The files of the machine as one process sees them. Each operation begins and is answered only while the process runs. So a
 * process can freeze or end before, during and after it.
 *
 * @param files returns the present files, which a power cut replaces
 * @param reach called before each operation
 */
function processFiles(
  process: SimulatedProcess,
  {
    files,
    reach,
  }: { readonly files: () => FileSystem; readonly reach: (operation: FileOperation) => void },
): FileSystem {
  const perform = <Result>(operation: FileOperation, work: () => Promise<Result>) =>
    new Promise<Result>((resolve, reject) => {
      reach(operation);
      process.enter(() => void process.await(work()).then(resolve, reject));
    });
  const opened = (file: OpenFile): OpenFile => ({
    size: () => perform('size', () => file.size()),
    read: (offset, length) => perform('read', () => file.read(offset, length)),
    write: (bytes, offset) => perform('write', () => file.write(bytes, offset)),
    truncate: (size) => perform('truncate', () => file.truncate(size)),
    flush: () => perform('flush', () => file.flush()),
    close: () => file.close(),
  });
  return {
    open: async (path, mode) => opened(await perform('open', () => files().open(path, mode))),
    readFile: (path) => perform('readFile', () => files().readFile(path)),
    list: (path) => perform('list', () => files().list(path)),
    stat: (path) => perform('stat', () => files().stat(path)),
    makeFolder: (path) => perform('makeFolder', () => files().makeFolder(path)),
    rename: (path, target) => perform('rename', () => files().rename(path, target)),
    link: (path, target) => perform('link', () => files().link(path, target)),
    remove: (path) => perform('remove', () => files().remove(path)),
    touch: (path, time) => perform('touch', () => files().touch(path, time)),
    flushFolder: (path) => perform('flushFolder', () => files().flushFolder(path)),
  };
}
