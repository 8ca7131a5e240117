import { join } from 'node:path';
import { lowdbStore, sqliteStore, type StoreLocation } from '@dramaturg/host';

export const storeKinds = ['lowdb', 'sqlite'] as const;
export type StoreKind = (typeof storeKinds)[number];

export function storeIn(
  folder: string,
  kind: StoreKind,
  atWritePoint?: (point: string) => void,
): StoreLocation {
  // Stored data survives a killed process in every mode. This mode leaves the most data unflushed.
  const options = {
    fsync: 'batch' as const,
    ...(atWritePoint ? { atWritePoint } : {}),
    onError: () => {},
  };
  return kind === 'lowdb'
    ? // Small logs are compacted often, so kills hit compactions.
      lowdbStore(join(folder, 'lowdb'), { ...options, logSize: 8_192 })
    : sqliteStore(join(folder, 'store.sqlite'), options);
}
