import { basename, dirname, join } from 'node:path';
import { checkedName } from '../check.ts';
import type { Store } from '../contract.ts';
import { nodeSystem, type System } from '../disk/system.ts';
import type { StoreError } from '../errors.ts';
import { type DurableStoreOptions, warn } from '../options.ts';
import { OwnerLock } from '../owner/owner-lock.ts';
import { Checkpoint } from './checkpoint.ts';
import { GroupCommit } from './group-commit.ts';
import { loadLibrary } from './load-library.ts';
import { isSameFile } from './database-file.ts';
import { openDatabase, type OwnedDatabase } from './open-database.ts';
import { OpenSqliteStore, pathBehindLinks, pathOfNewFile } from './open-store.ts';
import { OwnerMark } from './owner-mark.ts';
import { openReader } from './read-store.ts';
import { planSqliteRepairs } from './repairs.ts';
import { sqliteFailure } from './sqlite-errors.ts';
import { closeKeepingLog, WriteAheadLog } from './write-ahead-log.ts';

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
