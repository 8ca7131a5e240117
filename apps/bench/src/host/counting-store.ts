import type { Store, StoreLocation } from '@dramaturg/host';
import type { Change } from '@dramaturg/host/store';

/** A write that a host requested from its store. */
export interface CountedWrite {
  /** The size of the host's data as JSON text, without anything that the store adds. */
  readonly bytes: number;
  /** The part of these bytes that is the state of an instance, if any. */
  readonly stateBytes?: number;
  /** Whether the host waits until the device has stored it. */
  readonly isFlushed: boolean;
}

/** Whether a write waits for the device when the store always flushes. A receipt does not: see `Store.acknowledge`. */
const isFlushed: Readonly<Record<string, boolean>> = {
  create: true,
  commit: true,
  acknowledge: false,
};

/**
 * Wraps a store and counts its writes. Each is a separate write to the wrapped store: a turn waits for one write before
 * it requests the next, so no two share a flush.
 */
export function countingStore(location: StoreLocation, writes: CountedWrite[]): StoreLocation {
  return {
    read: () => location.read(),
    open: async (owner) => {
      const store = await location.open(owner);
      return new Proxy(store, {
        get: (_, name) => {
          const method = store[name as keyof Store] as (...args: unknown[]) => unknown;
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => {
            const flushed = isFlushed[String(name)];
            if (flushed !== undefined) {
              const { snapshot = null, parts = null } = args[0] as Partial<Change>;
              const [bytes, stateBytes] = [args[0], [snapshot, parts]].map(bytesOf);
              writes.push({ bytes: bytes!, stateBytes: stateBytes!, isFlushed: flushed });
            }
            return method.apply(store, args);
          };
        },
      });
    },
  };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
