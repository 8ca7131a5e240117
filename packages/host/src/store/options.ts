import type { AtWritePoint } from './disk/write-point.ts';
import type { StoreError } from './errors.ts';
import type { FsyncMode } from './fsync.ts';

/** What stores on this machine have in common. */
export interface DurableStoreOptions {
  /** When the device is made to write; `always` unless said otherwise. */
  readonly fsync?: FsyncMode;
  /**
   * Called with what went wrong where nobody waits: the lock was lost, a flush or the settling of a log failed. What
   * is told here of flushes and the lock is also the answer to every write after it. A warning of the process if absent.
   */
  readonly onError?: (error: StoreError) => void;
  /** For tests of crashes. */
  readonly atWritePoint?: AtWritePoint;
}

export function warn(error: StoreError): void {
  process.emitWarning(error.message, { code: error.code });
}
