import { join } from 'node:path';
import { lowdbStore, sqliteStore, type StoreError, type StoreLocation } from '@dramaturg/host';
import { postgresStore } from '@dramaturg/postgres';
import type { Mission } from './protocol.ts';

/** The store of a mission. */
export function storeOf(
  { folder, store, fsync, database }: Omit<Mission, 'world'>,
  atWritePoint?: (point: string) => void,
  onError: (error: StoreError) => void = () => {},
  onWaiting: () => void = () => {},
): StoreLocation {
  if (store === 'postgres')
    // The lease of a host that was killed lasts some seconds.
    return postgresStore(database!, { onError, standby: { onWaiting } });
  const options = { fsync, ...(atWritePoint ? { atWritePoint } : {}), onError };
  return store === 'lowdb'
    ? // A small journal is folded often, so kills hit the folding.
      lowdbStore(join(folder, 'lowdb'), { ...options, journalSize: 8_192 })
    : sqliteStore(join(folder, 'store.sqlite'), options);
}
