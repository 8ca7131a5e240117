import { resolve } from 'node:path';
import { checkedName } from '../check.ts';
import type { StoreLocation } from '../contract.ts';
import { nodeSystem } from '../disk/system.ts';
import { filesWithWritePoints } from '../disk/write-points.ts';
import { systemFailure } from '../errors.ts';
import { type DurableStoreOptions, warn } from '../options.ts';

export interface LowdbStoreOptions extends DurableStoreOptions {
  /**
   * The size of the journal in bytes at which its writes move into the files of their records; 8,388,608 by default. While these
   * files are larger, their size counts instead.
   */
  readonly journalSize?: number;
}

/*
 * Invariants of the store. The journal is one list of all writes; a record is its file and its later writes in the journal.
 *
 * 1. A write is acknowledged when its line is in the journal: on the device with `always`, in the system otherwise. Only then is
 * it in memory, which serves all reads.
 * 2. Writes are numbered without a gap. The mark, the manifest, the file of a record or a later line prove that the device had
 *    a write: if it cannot be read, its loss is reported. The journal ends before the first other unreadable line.
 * 3. The mark, the manifest and the files of records name only writes that the device has.
 * 4. Every file except the journal and the mark is replaced as a whole. The manifest names the last write that each file of a
 *    record must include, so a missing file and an older copy are noticed.
 * 5. The journal forgets a write only when the device has the file of its record, and the manifest with it.
 * 6. An owner writes only to a journal of its own epoch, which begins as a copy of the previous journal. If the previous owner
 *    may be alive, the next one renames the data folder, through which every other file is written.
 */

/**
 * Creates a store of files that people can read: one for each record, read and written with lowdb. All records are in memory
 * while it is open. For one machine: for development, tests and small installations. docs/stores.md describes each file.
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: lowdbStore('conversations'),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * await host.start('intake', { contact: 'ada' });
 * await host.stop();
 * const again = await createHost({
 *   store: lowdbStore('conversations'),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * console.log((await again.list()).items.length); // → 1
 * await again.stop();
 * ```
 */
export function lowdbStore(folder: string, options: LowdbStoreOptions = {}): StoreLocation {
  const path = resolve(folder);
  const { fsync = 'always', onError = warn, atWritePoint, journalSize = 1 << 23 } = options;
  const given = options.system ?? nodeSystem();
  const system =
    atWritePoint === undefined
      ? given
      : { ...given, files: filesWithWritePoints(given.files, atWritePoint) };
  const settings = { system, fsync, onError, journalSize };
  const opening = () => import('./open.ts');
  return {
    open: async (owner) => {
      const name = checkedName(owner, 'owner');
      try {
        return await (await opening()).openForWriting(path, name, settings);
      } catch (error) {
        throw systemFailure(`Opening the store ${path}`, error);
      }
    },
    read: async () => {
      try {
        return await (await opening()).openUnowned(path, system);
      } catch (error) {
        throw systemFailure(`Reading the store ${path}`, error);
      }
    },
    repairs: async () => {
      try {
        return await (await opening()).planLowdbRepairs(path, settings);
      } catch (error) {
        throw systemFailure(`Reading the store ${path}`, error);
      }
    },
  };
}
