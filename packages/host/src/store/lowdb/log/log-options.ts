import type { FileSystem } from '../../disk/file-system.ts';
import type { Scheduler } from '../../disk/system.ts';
import type { StoreError } from '../../errors.ts';
import type { FsyncMode } from '../../fsync.ts';
import type { OwnerLock } from '../../owner/owner-lock.ts';
import type { Manifest } from '../manifest.ts';
import type { RecordPlaces } from '../record-places.ts';

export interface LogOptions {
  /** The folder of the segments. */
  readonly folder: string;
  readonly files: FileSystem;
  readonly scheduler: Scheduler;
  readonly manifest: Manifest;
  /** Gets the place of each stored write. */
  readonly places: RecordPlaces;
  readonly fsync: FsyncMode;
  /** A segment of this many bytes is complete, and the next one begins. */
  readonly segmentSize: number;
  /** `check` rejects when the owner lock is lost. `lose` is called when the log finds that out. */
  readonly owner: Pick<OwnerLock, 'check' | 'lose'>;
  /** Called when a deferred flush failed. */
  readonly onError: (error: StoreError) => void;
}

/**
 * What an append waits for. `device`: the flush that the mode promises for a write. `system`: no flush; it follows
 * within 100 ms. `order`: a flush in every mode, because a later step relies on it.
 */
export type Durability = 'device' | 'system' | 'order';
