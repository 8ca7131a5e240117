import { copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type Library from 'better-sqlite3';
import { checkedName } from '../check.ts';
import type { Store, StoreReader } from '../contract.ts';
import { nodeSystem, type System } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import { type DurableStoreOptions, warn } from '../options.ts';
import { OwnerLock } from '../owner/owner-lock.ts';
import { checkNotOwned } from '../owner/lock-file.ts';
import type { RepairStep } from '../verification.ts';
import { Checkpoint } from './checkpoint.ts';
import { GroupCommit } from './group-commit.ts';
import { loadLibrary } from './load-library.ts';
import { checkNotOpenHere, isSameFile, oneAtATime } from './database-file.ts';
import { openDatabase, type OwnedDatabase } from './open-database.ts';
import { OpenSqliteStore, pathBehindLinks, pathOfNewFile } from './open-store.ts';
import { OwnerMark } from './owner-mark.ts';
import { isBusy, sqliteFailure } from './sqlite-errors.ts';
import { closeKeepingLog, WriteAheadLog } from './write-ahead-log.ts';
import { type LostCondition, lostData, readCondition } from './condition.ts';
import { readImage } from './database-image.ts';
import { OpenSqliteReader } from './open-reader.ts';

/** Opens the store for its one owner. */
export async function openOwned(
  file: string,
  owner: string,
  options: DurableStoreOptions,
): Promise<Store> {
  const name = checkedName(owner, 'owner');
  const Database = await loadLibrary();
  const settings = { ...defaults(), ...options, Database };
  try {
    const path = await pathOfNewFile(file, settings.system.files);
    return await open(path, name, settings);
  } catch (error) {
    throw sqliteFailure(`Opening the store ${file}`, error);
  }
}

/** Opens a store without an owner, for reading. */
export async function openForReading(file: string, options: DurableStoreOptions) {
  const Database = await loadLibrary();
  const { system } = { ...defaults(), ...options };
  try {
    return await openReader(pathBehindLinks(file), { Database, system });
  } catch (error) {
    throw sqliteFailure(`Reading the store ${file}`, error);
  }
}

export async function planRepairs(file: string, options: DurableStoreOptions) {
  const Database = await loadLibrary();
  const { system } = { ...defaults(), ...options };
  return planSqliteRepairs(pathBehindLinks(file), { Database, system });
}

function defaults() {
  return { fsync: 'always', onError: warn, system: nodeSystem() } as const;
}

type Settings = Required<Omit<DurableStoreOptions, 'atWritePoint'>> &
  Pick<DurableStoreOptions, 'atWritePoint'> & {
    readonly Database: Awaited<ReturnType<typeof loadLibrary>>;
  };

async function open(path: string, owner: string, settings: Settings): Promise<Store> {
  const { fsync, onError, system, atWritePoint } = settings;
  const { scheduler } = system;
  const owned = await openDatabase(path, owner, settings);
  const log = new WriteAheadLog(path, owned.database, { fsync, scheduler, atWritePoint, onError });
  try {
    atWritePoint?.('lock');
    // The lock of the system does not name its owner (H6).
    const lock = await OwnerLock.acquire(`${path}.lock`, owner, {
      system,
      onTrouble: onError,
    });
    lock.lost.addEventListener('abort', () => log.break(lock.lost.reason as StoreError));
    try {
      return await begin(owned, lock, log, settings);
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    try {
      closeKeepingLog(owned.database, path);
      await log.close();
    } finally {
      owned.file.release();
    }
    throw error;
  }
}

async function begin(
  { database, file, mark: markBefore }: OwnedDatabase,
  lock: OwnerLock,
  log: WriteAheadLog,
  { Database, fsync, onError, system, atWritePoint }: Settings,
): Promise<Store> {
  const { scheduler, files } = system;
  atWritePoint?.('begin');
  database.pragma('journal_mode = WAL');
  // `WriteAheadLog` flushes commits, because it knows which writes do not wait for a flush.
  database.pragma('synchronous = NORMAL');
  // Overwrites deleted rows. Free pages are overwritten by `compact`.
  database.pragma('secure_delete = FAST');
  const mark = new OwnerMark(database, markBefore, () => system.randomId());
  const checkpoint = new Checkpoint(database, { log, mark, scheduler, atWritePoint, onError });
  if (fsync !== 'never') await files.flushFolder(dirname(file.path));
  atWritePoint?.('begin.log');
  checkpoint.run();
  await sweepDrafts(file.path, system);
  const group = new GroupCommit(database, {
    file,
    lock,
    log,
    mark,
    checkpoint,
    fsync,
    atWritePoint,
  });
  const parts = { Database, database, file, system, lock, log, checkpoint, group, onError };
  return new OpenSqliteStore(parts);
}

/** The age at which a draft is abandoned. */
const draftAgeMs = 3_600_000;

/** Removes drafts of processes that were killed while they created the store. */
async function sweepDrafts(path: string, { files, scheduler }: System): Promise<void> {
  const folder = dirname(path);
  for (const name of await files.list(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !/\.new(-journal)?$/.test(name)) continue;
    const draft = join(folder, name);
    const { modifiedAt } = (await files.stat(draft)) ?? {};
    const isOld = modifiedAt !== undefined && scheduler.now() - modifiedAt > draftAgeMs;
    // The draft has become the store, and its own name was not removed.
    if (isOld || isSameFile(draft, path)) await files.remove(draft);
  }
}

/**
 * Opens a store for reading. A closed store is read from its file, in moments when no owner has it. The file of a store that was
 * not closed cannot be read without writing next to it, so it is copied to memory together with its log.
 *
 * @throws `store/owned`; `store/unknown` when there is no store; `store/damaged` when its newest data is missing
 */
async function openReader(
  path: string,
  { Database, system }: { readonly Database: typeof Library; readonly system: System },
): Promise<StoreReader> {
  const { files } = system;
  await checkNotOwned(`${path}.lock`, system);
  return oneAtATime(async () => {
    checkNotOpenHere(path);
    const condition = await readCondition(path, files, Database);
    if (condition.kind === 'none') {
      throw new StoreError('store/foreign', `There is no store ${path}. Check the path.`);
    }
    if (condition.kind === 'lost') throw lostData(condition.reason, path);
    const { header, log, hasJournal } = condition;
    const isReadable = !header.usesLog && log === undefined && !hasJournal;
    const database = isReadable
      ? new Database(path, { readonly: true, fileMustExist: true, timeout: 1_000 })
      : new Database(await readImage(files, path, header, log), { readonly: true });
    return new OpenSqliteReader(path, database, system);
  });
}

interface RepairOptions {
  readonly Database: typeof Library;
  readonly system: System;
}

/** The effect of a repair, and the data that it loses. */
const actions: Readonly<Record<LostCondition['what'], string | undefined>> = {
  database: 'Renames what is left of the store. The next start creates an empty store.',
  log: 'Goes on with what the database has. What was stored after the log was last copied into it is lost.',
  'matching log':
    'Renames the log, and goes on with what the database has. What was stored after its log was last copied is lost.',
  'end of the log':
    'Goes on with the part of the log before the damage. What was stored after it is lost. A copy of the log is kept.',
  // Only a backup has this content.
  'content of the database': undefined,
};

/**
 * Plans the repair of a store whose newest data is missing. Nothing is changed until a step is applied.
 *
 * @throws `store/owned`
 */
async function planSqliteRepairs(
  path: string,
  options: RepairOptions,
): Promise<readonly RepairStep[]> {
  const { Database, system } = options;
  await checkNotOwned(`${path}.lock`, system);
  const condition = await oneAtATime(() => {
    checkNotOpenHere(path);
    return readCondition(path, system.files, Database);
  });
  if (condition.kind !== 'lost') return [];
  const { what, reason } = condition;
  const action = actions[what];
  if (action === undefined) return [];
  return [{ finding: reason, action, apply: () => oneAtATime(() => repair(path, what, options)) }];
}

async function repair(
  path: string,
  what: LostCondition['what'],
  { Database, system }: RepairOptions,
): Promise<void> {
  const { files } = system;
  await checkNotOwned(`${path}.lock`, system);
  checkNotOpenHere(path);
  const suffix = `lost-${new Date(system.scheduler.now()).toISOString().replaceAll(':', '-')}`;
  const log = `${path}-wal`;
  try {
    if (what === 'end of the log') await copyFile(log, `${log}.${suffix}`);
    else if ((await files.stat(log)) !== undefined) await files.rename(log, `${log}.${suffix}`);
    await files.remove(`${path}.lock`);
    if (what !== 'database') acceptContent(new Database(path, { timeout: 0 }), system.randomId());
  } catch (error) {
    if (!isBusy(error)) throw sqliteFailure(`Repairing the store ${path}`, error);
    const message = `The file ${path} is open in another process, through another path. Stop that process first.`;
    throw new StoreError('store/owned', message, { cause: error });
  }
}

/** Marks the database as needing no log, and copies the rest of the log into it. */
function acceptContent(database: Library.Database, token: string): void {
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.prepare('UPDATE owner SET base = ?, token = ?, needs_log = 0').run(token, token);
    database.pragma('journal_mode = DELETE');
  } finally {
    database.close();
  }
}
