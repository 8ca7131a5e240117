import type { Store, StoreLocation } from '@dramaturg/host';

/** A write that a host has asked of its store. */
export interface CountedWrite {
  /** Of what the host gave, as JSON text: what a store adds to it is the store's own cost. */
  readonly bytes: number;
  /** The host waits until the device has it. */
  readonly isFlushed: boolean;
}

/** Writes that wait for the device, where the store flushes always; a receipt does not: see `Store.acknowledge`. */
const isFlushed: Readonly<Record<string, boolean>> = {
  create: true,
  commit: true,
  enqueue: true,
  acknowledge: false,
};

/**
 * A store that counts what it is asked to write. Each is a write of its own to the store below: a turn waits for one
 * before it asks for the next, so that no two share a flush.
 */
export function countingStore(place: StoreLocation, writes: CountedWrite[]): StoreLocation {
  return {
    open: async (owner) => {
      const store = await place.open(owner);
      return new Proxy(store, {
        get: (_, name) => {
          const method = store[name as keyof Store] as (...args: unknown[]) => unknown;
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => {
            const flushed = isFlushed[String(name)];
            if (flushed !== undefined) {
              const bytes = Buffer.byteLength(JSON.stringify(args[0]));
              writes.push({ bytes, isFlushed: flushed });
            }
            return method.apply(store, args);
          };
        },
      });
    },
  };
}
