import { dirname, join, resolve } from 'node:path';
import type { StoreLocation } from '../contract.ts';
import { checkedName } from '../check.ts';
import { Disk } from '../disk/disk.ts';
import { systemFailure } from '../errors.ts';
import { type DurableStoreOptions, warn } from '../options.ts';
import { OwnerLock } from '../owner/owner-lock.ts';
import { DamagedFolder } from './damaged-folder.ts';
import { checkMarker, writeMarker, prepareFolder } from './layout.ts';
import { OpenLowdbStore } from './open-store.ts';
import { scan } from './scan.ts';

export interface LowdbStoreOptions extends DurableStoreOptions {
  /**
   * The log size in bytes at which a busy record is compacted; 2,097,152 by default. A record without a write for five
   * seconds is compacted in any case.
   */
  readonly logSize?: number;
}

/**
 * Creates a store of files that people can read: a folder for each record, whose `record.json` is written with lowdb.
 * For one machine and up to about 10,000 records. docs/stores.md describes each file.
 */
export function lowdbStore(folder: string, options: LowdbStoreOptions = {}): StoreLocation {
  const path = resolve(folder);
  return {
    open: async (owner) => {
      const name = checkedName(owner, 'owner');
      try {
        return await open(path, name, options);
      } catch (error) {
        throw systemFailure(`Opening the store ${path}`, error);
      }
    },
  };
}

async function open(path: string, owner: string, options: LowdbStoreOptions) {
  const { fsync = 'always', onError = warn, atWritePoint, logSize = 1 << 21 } = options;
  prepareFolder(path);
  const disk = new Disk(join(path, 'temporary'), { fsync, onError, atWritePoint });
  const lock = await OwnerLock.acquire(join(path, 'owner.lock'), owner, {
    onLoss: (error) => {
      if (error.code === 'store/lost') disk.break(error);
      onError(error);
    },
  });
  try {
    const isNew = !checkMarker(path);
    if (isNew) await writeMarker(path, disk);
    disk.remove(join(path, 'temporary'), 'temporary.sweep');
    for (const name of ['temporary', 'records', 'damaged']) {
      disk.makeFolder(join(path, name), `${name}.make`);
    }
    await disk.flushFolder(path, 'store.names', 'order');
    if (isNew) await disk.flushFolder(dirname(path), 'store.name', 'order');
    const damaged = new DamagedFolder(join(path, 'damaged'), disk);
    const found = await scan(join(path, 'records'), disk, damaged, onError);
    return new OpenLowdbStore({ path, disk, lock, damaged, onError, logSize }, found);
  } catch (error) {
    lock.release();
    throw error;
  }
}
