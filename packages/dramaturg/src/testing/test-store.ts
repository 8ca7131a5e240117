import { memoryStore, type StoreLocation } from '@dramaturg/host/browser';
import type { StoreRecord } from '@dramaturg/host/store';

/**
 * A store in memory for one host. It keeps definitions as objects and not as text: no other host opens it, and writing a chart
 * costs as much as several steps.
 */
export function testStore(): StoreLocation {
  const place = memoryStore();
  return {
    ...place,
    open: async (owner) => {
      const store = await place.open(owner);
      const create = store.create.bind(store);
      const read = store.read.bind(store);
      const definitions = new Map<string, StoreRecord>();
      return Object.assign(store, {
        create: async (record: Parameters<typeof create>[0]) => {
          if (record.kind !== 'definition') return create(record);
          definitions.set(record.id, { ...record, ...asCreated, updatedAt: record.createdAt });
          return asCreated;
        },
        read: async (id: string) => definitions.get(id) ?? read(id),
      });
    },
  };
}

const asCreated = {
  revision: 1,
  journalLength: 0,
  transcriptLength: 0,
  ended: false,
  timers: [],
  parts: [],
  outbox: [],
};
