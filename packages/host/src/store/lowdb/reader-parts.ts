import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import type { StoreError } from '../errors.ts';
import type { RecordIndex } from '../index/record-index.ts';
import type { DamagedFolder } from './damaged-folder.ts';
import type { Feed } from './feed.ts';
import type { Log } from './log/log.ts';
import type { Manifest } from './manifest.ts';
import type { RecordFolderParts } from './record-folder.ts';
import type { RecordPlaces } from './record-places.ts';

/** What reading an open store needs. */
export interface LowdbReaderParts {
  /** The folder of the store. */
  readonly path: string;
  /** Its data folder. */
  readonly data: string;
  readonly files: FileSystem;
  readonly scheduler: Scheduler;
  readonly manifest: Manifest;
  readonly log: Log;
  readonly places: RecordPlaces;
  readonly index: RecordIndex;
  readonly damaged: DamagedFolder;
  readonly feed: Feed;
  readonly folderParts: RecordFolderParts;
  readonly onError: (error: StoreError) => void;
}
