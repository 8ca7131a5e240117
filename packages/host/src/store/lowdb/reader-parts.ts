import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import type { StoreError } from '../errors.ts';
import type { RecordIndex } from '../index/record-index.ts';
import type { DamagedFolder } from './damaged-folder.ts';
import type { Feed } from './feed.ts';
import type { Journal } from './journal.ts';
import type { Manifest } from './manifest.ts';
import type { Places } from './places.ts';

/** What reading an open store needs. */
export interface LowdbReaderParts {
  /** The folder of the store. */
  readonly path: string;
  /** Its data folder. */
  readonly data: string;
  readonly files: FileSystem;
  readonly scheduler: Scheduler;
  readonly manifest: Manifest;
  readonly journal: Journal;
  readonly places: Places;
  readonly index: RecordIndex;
  readonly damaged: DamagedFolder;
  readonly feed: Feed;
  /** Names a new path for an incomplete file. */
  readonly draft: () => string;
  readonly onError: (error: StoreError) => void;
}
