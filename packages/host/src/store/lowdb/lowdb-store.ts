import { join, resolve } from 'node:path';
import { checkedName } from '../check.ts';
import type { StoreLocation } from '../contract.ts';
import { nodeSystem } from '../disk/system.ts';
import { filesWithWritePoints } from '../disk/write-points.ts';
import { systemFailure } from '../errors.ts';
import { type DurableStoreOptions, warn } from '../options.ts';
import { checkNotOwned } from '../owner/lock-file.ts';
import { lockName } from './layout.ts';
import { openForReading, openForWriting } from './open.ts';
import { planLowdbRepairs } from './repairs.ts';

export interface LowdbStoreOptions extends DurableStoreOptions {
  /**
   * The size of the journal in bytes at which its writes are moved into the files of their records; 8,388,608 by default.
   */
  readonly journalSize?: number;
}

/*
 * Invariants of the store. The journal is one list of all writes; a record is its `record.json` and its later writes in the journal.
 *
 * 1. A write is acknowledged when its line is in the journal: on the device with `always`, in the system otherwise.
 * 2. Writes are numbered without a gap. A write that the device had is proved by the mark, the manifest, the index or a later line: when
 *    it cannot be read, it is lost, and that is said. The journal ends before the first other line that cannot be read.
 * 3. The mark, the index, the manifest, the feed and `record.json` name no write that the device does not have.
 * 4. Every file but the journal and the mark is replaced as a whole. The manifest names what must exist, and the index names the last write
 *    that each `record.json` must include, so an older copy is noticed.
 * 5. The journal forgets a write only when the device has the `record.json` of its record, the index, the feed and the manifest without it.
 * 6. An owner writes to journal files of its own epoch only. The next owner of one that may be alive renames the data folder.
 */

/**
 * Creates a store of files that people can read: a folder for each record, whose files are read and written with lowdb.
 * For one machine, and for development, tests and small installations. docs/stores.md describes each file.
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
  const { files, scheduler } = system;
  return {
    open: async (owner) => {
      const name = checkedName(owner, 'owner');
      try {
        return await openForWriting(path, name, { system, fsync, onError, journalSize });
      } catch (error) {
        throw systemFailure(`Opening the store ${path}`, error);
      }
    },
    read: async () => {
      try {
        await checkNotOwned(join(path, lockName), system);
        return await openForReading(path, { files, scheduler }, onError);
      } catch (error) {
        throw systemFailure(`Reading the store ${path}`, error);
      }
    },
    repairs: async () => {
      try {
        return await planLowdbRepairs(path, { system, fsync, onError, journalSize });
      } catch (error) {
        throw systemFailure(`Reading the store ${path}`, error);
      }
    },
  };
}
