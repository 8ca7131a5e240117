import type { System } from './disk/system.ts';
import type { AtWritePoint } from './disk/write-point.ts';
import type { StoreError } from './errors.ts';
import type { FsyncMode } from './fsync.ts';

/** Options of the stores that write to a device of this machine. */
export interface DurableStoreOptions {
  /** When writes are flushed to the device; `always` by default. */
  readonly fsync?: FsyncMode;
  /**
   * Receives errors of background work: a lock that cannot be renewed, a failed flush, a failed compaction. After a failed flush,
   * every write rejects with the same error. `Store.ownership` says when the store is lost. By default, a warning of the process.
   */
  readonly onError?: (error: StoreError) => void;
  /** The files, timers, processes and random ids of the store; by default, those of this machine. For simulations. */
  readonly system?: System;
  /** A hook for crash tests. */
  readonly atWritePoint?: AtWritePoint;
}

export function warn(error: StoreError): void {
  process.emitWarning(error.message, { code: error.code });
}
