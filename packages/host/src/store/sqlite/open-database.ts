import { dirname } from 'node:path';
import type Library from 'better-sqlite3';
import type { System } from '../disk/system.ts';
import type { AtWritePoint } from '../disk/write-point.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import type { FsyncMode } from '../fsync.ts';
import { parseClaim } from '../owner/claim.ts';
import { checkNotOwned, readLock, storeOwned } from '../owner/lock-file.ts';
import { type Condition, lostData, readCondition } from './condition.ts';
import { checkNotOpenHere, DatabaseFile, oneAtATime } from './database-file.ts';
import { type Mark, readMark } from './mark.ts';
import { makeSchema } from './schema.ts';
import { isBusy } from './sqlite-errors.ts';

/** A database whose file is locked for this process by the system. */
export interface OwnedDatabase {
  readonly database: Library.Database;
  readonly file: DatabaseFile;
  /** The mark of the previous owner. */
  readonly mark: Mark;
}

const attemptsMax = 10;
const betweenAttemptsMs = 100;

/**
 * Opens the database of a store, which is created when it does not exist, and takes the lock of the system on its file (H6). No
 * other connection gets that lock, by any path. It tries for a second, because readers lock the file for moments, and other
 * processes may create, open or close the store at the same time.
 *
 * @throws `store/owned`; `store/damaged` when the newest data is missing
 */
export async function openDatabase(
  path: string,
  owner: string,
  options: CreateDatabaseOptions,
): Promise<OwnedDatabase> {
  const { system } = options;
  let lostBefore = false;
  for (let attempt = 1; ; attempt += 1) {
    const opened = await oneAtATime(() => tryToOpen(path, owner, options));
    if ('database' in opened) return opened;
    if (opened.kind === 'lost') {
      if (lostBefore) throw lostData(opened.reason, path);
      // An owner that opens or closes the store changes its files one after another.
      await checkNotOwned(`${path}.lock`, system);
      lostBefore = true;
    } else if (opened.kind === 'busy') await refuseBusy(path, system, attempt === attemptsMax);
    else if (attempt === attemptsMax) throw stillChanging(path);
    await system.scheduler.pause(betweenAttemptsMs);
  }
}

type Failure = { readonly kind: 'busy' | 'changing' } | Extract<Condition, { kind: 'lost' }>;

async function tryToOpen(
  path: string,
  owner: string,
  options: CreateDatabaseOptions,
): Promise<OwnedDatabase | Failure> {
  const { Database } = options;
  checkNotOpenHere(path);
  let condition = await readConditionNow(path, options);
  if (condition.kind === 'none') {
    await createDatabase(path, options);
    condition = await readConditionNow(path, options);
  }
  if (condition.kind === 'none' || condition.kind === 'changing') return { kind: 'changing' };
  // Without a log, SQLite can tell whether another process has the file open, and changes nothing.
  if (condition.kind === 'lost' && condition.what !== 'log') return condition;
  const database = new Database(path, { timeout: 0, fileMustExist: true });
  try {
    // Also keeps the index of the log in memory: there is no `-shm` file.
    database.pragma('locking_mode = EXCLUSIVE');
    // Takes the lock, and fails for a read-only file.
    database.exec('BEGIN EXCLUSIVE; ROLLBACK');
    const mark = readMark(database);
    if (condition.kind === 'sound' && mark?.token === condition.mark.token) {
      return { database, mark, file: DatabaseFile.open(path, owner) };
    }
    database.close();
    return condition.kind === 'lost' ? condition : { kind: 'changing' };
  } catch (error) {
    database.close();
    if (isBusy(error)) return { kind: 'busy' };
    throw error;
  }
}

/** @returns `changing` when a file disappears while it is read */
async function readConditionNow(
  path: string,
  { Database, system }: CreateDatabaseOptions,
): Promise<Condition | { readonly kind: 'changing' }> {
  try {
    return await readCondition(path, system.files, Database);
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return { kind: 'changing' };
    throw error;
  }
}

/** Refuses a locked file, and names the owner if the lock file does. */
async function refuseBusy(path: string, system: System, isLastAttempt: boolean): Promise<void> {
  const lock = `${path}.lock`;
  const claim = parseClaim((await readLock(lock, system)) ?? '');
  if (claim !== undefined && system.processes.isAlive(claim.process) !== false) {
    throw await storeOwned(lock, claim, system);
  }
  if (!isLastAttempt) return;
  throw new StoreError(
    'store/owned',
    `The file ${path} is open in another process, through another path (a hard link or a bind mount) or in another program (such as sqlite3). Stop that process first.`,
  );
}

function stillChanging(path: string): StoreError {
  return new StoreError(
    'store/owned',
    `Other processes are opening and closing the store ${path}. Try again.`,
  );
}

interface CreateDatabaseOptions {
  readonly Database: typeof Library;
  readonly system: System;
  readonly fsync: FsyncMode;
  readonly atWritePoint?: AtWritePoint | undefined;
}

/**
 * Creates an empty, closed store with all its tables, unless another process is faster. A crash leaves no file with its name, so
 * a file that is empty or has no tables has lost its content.
 */
async function createDatabase(
  path: string,
  { Database, system, fsync, atWritePoint }: CreateDatabaseOptions,
): Promise<void> {
  const { files } = system;
  const draft = `${path}.${system.randomId()}.new`;
  try {
    atWritePoint?.('create.file');
    // SQLite gives its other files the same permissions.
    await (await files.open(draft, 'new')).close();
    const database = new Database(draft);
    try {
      if (fsync === 'never') database.pragma('synchronous = OFF');
      atWritePoint?.('create.schema');
      makeSchema(database, system.randomId());
    } finally {
      database.close();
    }
    atWritePoint?.('create.link');
    await files.link(draft, path);
    atWritePoint?.('create.linked');
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  } finally {
    await files.remove(draft);
    await files.remove(`${draft}-journal`);
  }
  if (fsync !== 'never') await files.flushFolder(dirname(path));
}
