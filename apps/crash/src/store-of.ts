import { join } from 'node:path';
import { lowdbStore, sqliteStore, type StoreLocation } from '@dramaturg/host';
import type { Mission } from './protocol.ts';

/** The store of a mission in files. */
export function storeOf(
  { folder, store, fsync }: Pick<Mission, 'folder' | 'store' | 'fsync'>,
  given: Omit<NonNullable<Parameters<typeof sqliteStore>[1]>, 'fsync'> = {},
): StoreLocation {
  const options = { onError: () => {}, ...given, fsync };
  return store === 'lowdb'
    ? // A small journal is folded often, so kills hit the folding.
      lowdbStore(join(folder, 'lowdb'), { ...options, journalSize: 8_192 })
    : sqliteStore(join(folder, 'store.sqlite'), options);
}
