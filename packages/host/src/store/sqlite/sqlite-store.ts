import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { checkedName } from '../check.ts';
import type { StoreLocation } from '../contract.ts';
import { StoreError } from '../errors.ts';
import { type DurableStoreOptions, warn } from '../options.ts';
import { OwnerLock } from '../owner/owner-lock.ts';
import { GroupCommit } from './group-commit.ts';
import { IdleCheckpoint } from './idle-checkpoint.ts';
import { loadLibrary } from './load-library.ts';
import { OpenSqliteStore } from './open-store.ts';
import { Reader } from './reader.ts';
import { checkSchema, makeSchema } from './schema.ts';
import { sqliteFailure } from './sqlite-errors.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/**
 * Records in one SQLite file. Nothing of a record is kept in memory, and whatever is looked for has an index: made for
 * one machine and up to millions of records. It needs the package better-sqlite3, which is native.
 */
export function sqliteStore(file: string, options: DurableStoreOptions = {}): StoreLocation {
  return {
    open: async (owner) => {
      // Whatever link leads to the file, the lock is beside the file itself.
      const path = existsSync(file) ? realpathSync(file) : resolve(file);
      const name = checkedName(owner, 'owner');
      const Library = await loadLibrary();
      try {
        return await open(Library, path, name, options);
      } catch (error) {
        throw sqliteFailure(`Opening the store ${path}`, error);
      }
    },
  };
}

/**
 * When the log has so many pages (32 MiB), the next write has to wait until they have been copied into the database.
 * Most are copies of the same few: the longer the log, the less there is to copy for each write.
 */
const logPagesMax = 8_000;

async function open(
  Library: Awaited<ReturnType<typeof loadLibrary>>,
  path: string,
  owner: string,
  { fsync = 'always', onError = warn, atWritePoint }: DurableStoreOptions,
) {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    throw new StoreError('store/foreign', `${path} is a folder. Name a file for the store.`);
  }
  mkdirSync(dirname(path), { recursive: true });
  const log = new WriteAheadLog(`${path}-wal`, { fsync, atWritePoint, onError });
  // Beside the file: SQLite's own locks tell nobody who has them (H6).
  const lock = await OwnerLock.acquire(`${path}.lock`, owner, {
    onLoss: (error) => {
      if (error.code === 'store/lost') log.break(error);
      onError(error);
    },
  });
  try {
    const database = new Library(path);
    try {
      if (!checkSchema(database, path)) {
        atWritePoint?.('schema');
        makeSchema(database);
        atWritePoint?.('schema.made');
      }
      database.pragma('journal_mode = WAL');
      // Commits are flushed by the write-ahead log, which knows the writes that wait for no flush.
      database.pragma('synchronous = NORMAL');
      database.pragma(`wal_autocheckpoint = ${logPagesMax}`);
      // A file that cannot be written is better found now than with the first write.
      database.exec('BEGIN IMMEDIATE; ROLLBACK');
      const idleCheckpoint = new IdleCheckpoint(database, { log, atWritePoint, onError });
      const group = new GroupCommit(database, path, { log, idleCheckpoint, fsync, atWritePoint });
      const reader = new Reader(database, path);
      const parts = { path, database, lock, log, idleCheckpoint, group, reader, onError };
      return new OpenSqliteStore(parts);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}
