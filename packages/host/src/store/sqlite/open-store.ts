import { lstatSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { checkedName } from '../check.ts';
import type { Change, Committed, DamagedRecord, NewRecord, Receipt, Store } from '../contract.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { makeFolders } from '../disk/make-folders.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import { checkIsNew, checkOutside } from '../own-path.ts';
import type { Ownership } from '../ownership.ts';
import type { RecordDamageError } from '../record-damage-error.ts';
import {
  acknowledgeWrite,
  commitWrite,
  createWrite,
  type Write,
  type WriteResult,
} from '../write.ts';
import { compactDatabase } from './compact.ts';
import { OpenSqliteReader } from './open-reader.ts';
import type { SqliteStoreParts } from './parts.ts';
import { sqliteFailure } from './sqlite-errors.ts';
import { closeKeepingLog } from './write-ahead-log.ts';

/**
 * An open SQLite store. Owns the database, the group commit, the checkpoint timer and the owner lock.
 *
 * States: open → closing → closed. A closing store commits the waiting writes and copies the log into the database.
 */
export class OpenSqliteStore extends OpenSqliteReader implements Store {
  readonly #parts: SqliteStoreParts;
  /** The owner lock (H6). */
  readonly ownership: Ownership;
  #compacting: Promise<void> | undefined;

  constructor(parts: SqliteStoreParts) {
    super(parts.file.path, parts.database, parts.system);
    this.#parts = parts;
    this.ownership = parts.lock;
  }

  async create(record: NewRecord): Promise<Committed> {
    return (await this.#write(createWrite(record))).committed;
  }

  async commit(change: Change): Promise<Committed> {
    return (await this.#write(commitWrite(change))).committed;
  }

  async acknowledge(receipt: Receipt): Promise<Committed | undefined> {
    const { isNew, committed } = await this.#write(acknowledgeWrite(receipt));
    return isNew ? committed : undefined;
  }

  async delete(id: string): Promise<boolean> {
    const name = checkedName(id, 'id');
    this.checkOpen();
    this.#parts.log.check();
    const isDeleted = await this.#parts.group.run((writer) => writer.delete(name));
    if (isDeleted) this.forget(name);
    return isDeleted;
  }

  /** Concurrent calls share one compaction. */
  async compact(): Promise<undefined> {
    this.checkOpen();
    this.#compacting ??= compactDatabase(this.#parts).finally(() => {
      this.#compacting = undefined;
    });
    await this.#compacting;
  }

  async backup(target: string): Promise<void> {
    this.checkOpen();
    await backupDatabase(this.#parts, target, await this.damaged());
  }

  protected override async closeNow(): Promise<void> {
    const { database, file, lock, log, checkpoint, group } = this.#parts;
    try {
      await group.settled();
      checkpoint.stop();
      await log.close();
      // The closed file can be read on a read-only disk. A lost file is not touched.
      if (!log.isBroken()) {
        database.pragma('journal_mode = DELETE');
        rmSync(`${file.path}-mark`, { force: true });
      }
    } catch (error) {
      closeKeepingLog(database, file.path);
      throw sqliteFailure(`Closing the store ${file.path}`, error);
    } finally {
      database.close();
      file.release();
      await lock.release();
    }
  }

  protected override storing(): Promise<void> | undefined {
    return this.#parts.group.flushing;
  }

  protected override mark({ id, message }: RecordDamageError): boolean {
    const { group, onError } = this.#parts;
    try {
      group.mark(id, message);
      return true;
    } catch (error) {
      onError(sqliteFailure('Setting a damaged record aside', error));
      return false;
    }
  }

  async #write(write: Write): Promise<WriteResult> {
    const { log, group } = this.#parts;
    this.checkRecord(write.id);
    log.check();
    return group.run((writer) => writer.store(write), write.type !== 'acknowledge');
  }
}

/** The number of pages that are copied before other work gets its turn. */
const pagesPerSlice = 200;

/**
 * Copies the database while it is in use. Changes during the copy are copied too. The copy gets its name when it is verified.
 *
 * @param known records that are damaged in the store itself
 */
async function backupDatabase(
  {
    database,
    Database,
    file,
    system,
  }: Pick<SqliteStoreParts, 'database' | 'Database' | 'file' | 'system'>,
  target: string,
  known: readonly DamagedRecord[],
): Promise<void> {
  const { files } = system;
  const own = ['-wal', '-mark', '-shm', '-journal', '.lock'].map((end) => file.path + end);
  checkOutside(file.path, target, own);
  try {
    await checkIsNew(target, files);
    const path = await pathOfNewFile(target, files);
    checkOutside(file.path, path, own);
    const draft = `${path}.${system.randomId()}.new`;
    try {
      await (await files.open(draft, 'new')).close();
      await database.backup(draft, { progress: () => pagesPerSlice });
      const copy = new Database(draft);
      const reader = new OpenSqliteReader(draft, copy, system);
      try {
        copy.pragma('locking_mode = EXCLUSIVE');
        copy.pragma('journal_mode = DELETE');
        const token = system.randomId();
        copy.prepare('UPDATE owner SET base = ?, token = ?, needs_log = 0').run(token, token);
        const { damaged } = await reader.verify();
        checkDamage(damaged, known);
      } finally {
        await reader.close();
      }
      await files.link(draft, path);
      await files.flushFolder(dirname(path));
    } finally {
      for (const end of ['', '-journal', '-wal']) await files.remove(draft + end);
    }
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') await checkIsNew(target, files);
    throw sqliteFailure(`Copying the store to ${target}`, error);
  }
}

function checkDamage(found: readonly DamagedRecord[], known: readonly DamagedRecord[]): void {
  const knownIds = new Set(known.map(({ id }) => id));
  const news = found.filter(({ id }) => !knownIds.has(id));
  if (news.length === 0) return;
  throw new StoreError(
    'store/damaged',
    `The store has damage that was not known, so it was not copied: ${news[0]!.reason} Verify the store.`,
  );
}

const linksMax = 40;

/**
 * The path of the file itself, so that all links to it share one lock, one log and one name. The file need not exist. Its
 * folder is created.
 */
export async function pathOfNewFile(file: string, files: FileSystem): Promise<string> {
  const path = pathBehindLinks(file);
  await makeFolders(dirname(path), files);
  return join(realpathSync(dirname(path)), basename(path));
}

export function pathBehindLinks(file: string): string {
  let path = resolve(file);
  for (let links = 0; links < linksMax; links += 1) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return path;
    path = resolve(dirname(path), readlinkSync(path));
  }
  throw new StoreError('store/foreign', `${file} is a symbolic link that leads to itself.`);
}
