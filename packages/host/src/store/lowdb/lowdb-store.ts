import { join, resolve } from 'node:path';
import { checkedName } from '../check.ts';
import type { StoreLocation } from '../contract.ts';
import { nodeSystem } from '../disk/system.ts';
import { filesWithWritePoints } from '../disk/write-points.ts';
import { systemFailure } from '../errors.ts';
import { type DurableStoreOptions, warn } from '../options.ts';
import { checkNotOwned } from '../owner/lock-file.ts';
import { lockName } from './layout.ts';
import { openForReading } from './open-for-reading.ts';
import { openForWriting } from './open-for-writing.ts';
import { planLowdbRepairs } from './repairs.ts';

export interface LowdbStoreOptions extends DurableStoreOptions {
  /**
   * The size of a file of the log in bytes; 8,388,608 by default. When the log has more than four such files, the writes
   * in the oldest one are moved into the files of their records.
   */
  readonly segmentSize?: number;
}

/**
 * Creates a store of files that people can read: a folder for each record, whose `record.json` is written with lowdb.
 * For one machine and up to about 50,000 records. docs/stores.md describes each file.
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
  const { fsync = 'always', onError = warn, atWritePoint, segmentSize = 1 << 23 } = options;
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
        return await openForWriting(path, name, { system, fsync, onError, segmentSize });
      } catch (error) {
        throw systemFailure(`Opening the store ${path}`, error);
      }
    },
    read: async () => {
      try {
        await checkNotOwned(join(path, lockName), system);
        return await openForReading(path, { files, scheduler, onError });
      } catch (error) {
        throw systemFailure(`Reading the store ${path}`, error);
      }
    },
    repairs: async () => {
      try {
        return await planLowdbRepairs(path, { system, fsync, onError, segmentSize });
      } catch (error) {
        throw systemFailure(`Reading the store ${path}`, error);
      }
    },
  };
}
