import { join } from 'node:path';
import { lowdbStore, sqliteStore, type StorePlace } from '@dramaturg/host';

export const storeKinds = ['lowdb', 'sqlite'] as const;
export type StoreKind = (typeof storeKinds)[number];

export function storeIn(
  folder: string,
  kind: StoreKind,
  atWritePoint?: (point: string) => void,
): StorePlace {
  // Against the death of a process all modes are alike; this one leaves most room for what is not flushed yet.
  const options = {
    fsync: 'batch' as const,
    ...(atWritePoint ? { atWritePoint } : {}),
    onError: () => {},
  };
  return kind === 'lowdb'
    ? // Small logs are settled often, so that kills come in the middle of it.
      lowdbStore(join(folder, 'lowdb'), { ...options, logSize: 8_192 })
    : sqliteStore(join(folder, 'store.sqlite'), options);
}
