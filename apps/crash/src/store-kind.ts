import { join } from 'node:path';
import { type FsyncMode, lowdbStore, sqliteStore, type StoreLocation } from '@dramaturg/host';

export const storeKinds = ['lowdb', 'sqlite'] as const;
export type StoreKind = (typeof storeKinds)[number];

export function storeIn(
  folder: string,
  kind: StoreKind,
  fsync: FsyncMode,
  atWritePoint?: (point: string) => void,
): StoreLocation {
  const options = {
    fsync,
    ...(atWritePoint ? { atWritePoint } : {}),
    onError: () => {},
  };
  return kind === 'lowdb'
    ? // Small logs are compacted often, so kills hit compactions.
      lowdbStore(join(folder, 'lowdb'), { ...options, segmentSize: 8_192 })
    : sqliteStore(join(folder, 'store.sqlite'), options);
}
