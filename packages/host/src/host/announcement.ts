import { isRecord } from '@dramaturg/compiler';
import type { Store, StoreReader } from '../store/contract.ts';
import { serviceId } from './record-ids.ts';

/** Stores where the host of a store is reached, for programs on other machines. */
export async function announce(
  store: Store,
  url: string | undefined,
  createdAt: number,
): Promise<void> {
  await store.delete(serviceId);
  if (url === undefined) return;
  const snapshot = { url };
  await store.create({ id: serviceId, kind: 'host', status: 'service', createdAt, snapshot });
}

/** @returns the URL of the host's service; undefined when it has announced none */
export async function announcedUrl(store: Pick<StoreReader, 'read'>): Promise<string | undefined> {
  const record = await store.read(serviceId);
  const url = isRecord(record?.snapshot) ? record.snapshot['url'] : undefined;
  return typeof url === 'string' ? url : undefined;
}
