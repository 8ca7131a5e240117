import type { Store, StoreLocation } from '@dramaturg/host';
import { overriding } from '@dramaturg/testing';
import type { StoredState } from '../oracle/stored-state.ts';

/**
 * Shows the oracle what the store acknowledges.
 *
 * @param isOwner whether the process owns the store; only then its writes count
 */
export function observedStore(
  place: StoreLocation,
  stored: StoredState,
  { onOpen, isOwner }: { readonly onOpen: () => void; readonly isOwner: () => boolean },
): StoreLocation {
  return {
    ...place,
    open: async (name) => {
      const store = await place.open(name);
      onOpen();
      const own: Partial<Store> = {
        create: async (record) => {
          const result = await store.create(record);
          if (isOwner()) stored.created(record, result);
          return result;
        },
        commit: async (change) => {
          const result = await store.commit(change);
          if (isOwner()) stored.committed(change, result);
          return result;
        },
        acknowledge: async (receipt) => {
          const result = await store.acknowledge(receipt);
          if (isOwner()) stored.acknowledged(receipt);
          return result;
        },
        delete: (id) => {
          // Even when it rejects, the record may be gone.
          if (isOwner()) stored.deleted(id);
          return store.delete(id);
        },
        read: async (id) => {
          const before = stored.revisionOf(id);
          const record = await store.read(id);
          if (isOwner()) stored.read(id, record, before);
          return record;
        },
      };
      // The last writes of the owner before may be stored although it did not hear of it. A device that fails now says nothing.
      for (const id of stored.unended) await own.read!(id).catch(() => undefined);
      return overriding(store, own);
    },
  };
}
