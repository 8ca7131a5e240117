import type { Database } from 'better-sqlite3';
import type { System } from '../disk/system.ts';
import type { StoreError } from '../errors.ts';
import type { OwnerLock } from '../owner/owner-lock.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { DatabaseFile } from './database-file.ts';
import type { GroupCommit } from './group-commit.ts';
import type { loadLibrary } from './load-library.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

/** The parts of an open store. */
export interface SqliteStoreParts {
  readonly Database: Awaited<ReturnType<typeof loadLibrary>>;
  readonly database: Database;
  readonly file: DatabaseFile;
  readonly system: System;
  readonly lock: OwnerLock;
  readonly log: WriteAheadLog;
  readonly checkpoint: Checkpoint;
  readonly group: GroupCommit;
  readonly onError: (error: StoreError) => void;
}
