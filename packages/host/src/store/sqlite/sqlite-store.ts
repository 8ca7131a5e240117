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
 * Creates a store in one SQLite file. No record is kept in memory, and every filter has an index. For one machine and
 * up to millions of records. It needs the native package better-sqlite3.
 */
export function sqliteStore(file: string, options: DurableStoreOptions = {}): StoreLocation {
  return {
    open: async (owner) => {
      // The lock is next to the file itself, so that links to it share one lock.
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
 * When the log has this many pages (32 MiB), the next write waits until they are copied into the database. Most are
 * versions of the same few pages, so a longer log copies less for each write.
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
  // SQLite's own locks do not name their owner (H6).
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
      // `WriteAheadLog` flushes commits, because it knows which writes do not wait for a flush.
      database.pragma('synchronous = NORMAL');
      database.pragma(`wal_autocheckpoint = ${logPagesMax}`);
      // Detects a read-only file now and not at the first write.
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
