import { dirname, join } from 'node:path';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, listIfExists } from '../disk/file-system.ts';
import { makeFolders } from '../disk/make-folders.ts';
import type { Scheduler } from '../disk/system.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import { concurrently } from '../slices.ts';
import { CheckedFile, type Format, readThrough, writeThrough } from './checked-file.ts';
import { markName, markOf } from './journal.ts';

/** The list of the store's files, which shows when a file is missing or was replaced by an older copy. */
export interface Manifest {
  /** Counts the openings of the store. Each owner writes to a journal of its own epoch. */
  readonly epoch: number;
  /** False while the store is open, and after the death of its owner. */
  readonly isClosed: boolean;
  /** The name of the file of the journal; empty when all writes are in the files of their records. */
  readonly journal: string;
  /** The number of the last write before the journal. */
  readonly folded: number;
  /** Identifies the feed. */
  readonly feed: string;
  /** For each record, by id, the number of the last write that its file must include. */
  readonly records: ReadonlyMap<string, number>;
}

/** Marks a folder as a store, with the version of its files. */
export const manifestName = 'store.json';
const kind = 'dramaturg/lowdb';
const version = 5;

type ManifestFields = Omit<Manifest, 'records'> & {
  readonly records: readonly string[];
  readonly store?: unknown;
  readonly version?: unknown;
};

const manifestFormat: Format<Manifest> = {
  toParts: ({ records, ...fields }) => {
    const entries = Array.from(records, ([id, lastWrite]) => `${lastWrite} ${id}`);
    return [JSON.stringify({ store: kind, version, ...fields, records: entries }, null, 2)];
  },
  fromFields: (fields) => {
    const { store, version: found, records, ...manifest } = fields as ManifestFields;
    if (store !== kind)
      throw new StoreError('store/foreign', `Its ${manifestName} is of another program.`);
    if (found !== version)
      throw new StoreError(
        'store/foreign',
        `It is a store of version ${String(found)}, and this release reads version ${version}. Use the other release.`,
      );
    const entries = records.map((entry) => {
      const end = entry.indexOf(' ');
      return [entry.slice(end + 1), Number(entry.slice(0, end))] as const;
    });
    return { ...manifest, records: new Map(entries) };
  },
};

/**
 * @param path the folder of the store
 * @returns undefined when the manifest does not exist
 * @throws `DamageError`; `store/foreign` when it is of another kind of store, or of another version
 */
export function readManifest(path: string, files: FileSystem): Promise<Manifest | undefined> {
  return readThrough(new CheckedFile(join(path, manifestName), files, manifestFormat));
}

/** Replaces the manifest. The device has it when the promise fulfils. */
export async function writeManifest(
  path: string,
  files: FileSystem,
  draft: string,
  manifest: Manifest,
): Promise<void> {
  await writeThrough(
    new CheckedFile(join(path, manifestName), files, manifestFormat, draft),
    manifest,
  );
  await files.flushFolder(path);
}

/** The folder of a store during its creation. It becomes the data folder. */
export const newFolderName = 'creating';
export const lockName = 'owner.lock';
/** A folder that people make for files before the store is created. It is not the store's. */
const attachmentsName = 'attachments';
const dataFolderNames = ['records', 'damaged', 'temporary'] as const;

/** `data`, or `data-<epoch>` after a takeover from an owner that may still be alive. */
const dataFolder = /^data(?:-(\d+))?$/;

/** The epoch in the name of a data folder; 0 when it has none. */
export function epochOf(data: string): number {
  return Number(dataFolder.exec(data.slice(dirname(data).length + 1))?.[1] ?? 0);
}

/**
 * Finds the data folder of a store.
 *
 * @returns undefined when the store does not exist yet
 * @throws `store/foreign` when the path is something else; `store/damaged` when a part of a store is missing
 */
export async function findData(path: string, files: FileSystem): Promise<string | undefined> {
  const status = await files.stat(path);
  if (status === undefined) return undefined;
  if (!status.isFolder) throw notAFolder(path);
  const names = (await files.list(path)).filter((name) => name !== attachmentsName);
  const folders = names.filter((name) => dataFolder.test(name));
  if (folders.length === 1) return join(path, folders[0]!);
  if (folders.length === 0 && (names.length === 0 || names.includes(newFolderName)))
    return undefined;
  if (folders.length > 1)
    throw incomplete(
      path,
      `it has ${folders.length} data folders: ${folders.join(', ')}. Move all but the one with the greatest number out of the folder, and keep them until the store works`,
    );
  if (await hasManifest(path, files))
    throw incomplete(path, 'its data folder is missing. Put it back, or restore a backup');
  if (names.some((name) => name.startsWith(lockName)))
    throw incomplete(path, 'its data folder and its store.json are missing. Restore a backup');
  throw new StoreError(
    'store/foreign',
    `${path} is not a store: it contains "${names[0]}". Name an empty folder, or one that does not exist.`,
  );
}

/** Makes a folder recognizable as a store that is being created, so that its lock can be taken. */
export async function startCreation(path: string, files: FileSystem): Promise<void> {
  try {
    await makeFolders(path, files);
    await files.makeFolder(join(path, newFolderName));
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR'].includes(systemCodeOf(error) ?? '')) throw error;
    throw notAFolder(path, error);
  }
  // Before the lock, because a lock alone is the remains of a removed store.
  await files.flushFolder(path);
}

/**
 * Creates the files of a store. A crash at any step leaves a folder that is recognized as incomplete: the folder `creating` becomes the
 * data folder in the last step.
 *
 * @param fill writes files into the data folder
 */
export async function finishCreation(
  path: string,
  files: FileSystem,
  manifest: Manifest,
  fill: (folder: string) => Promise<void> = async () => undefined,
): Promise<string> {
  const folder = join(path, newFolderName);
  for (const name of dataFolderNames) await files.remove(join(folder, name));
  // Programs that leave out empty folders keep a data folder with a file.
  await writeFile(join(folder, markName), markOf(0), files);
  await makeDataFolders(folder, files);
  await fill(folder);
  await writeManifest(path, files, join(folder, 'temporary', manifestName), manifest);
  const data = join(path, 'data');
  await files.rename(folder, data);
  await files.flushFolder(path);
  await files.flushFolder(dirname(path));
  return data;
}

async function writeFile(path: string, content: Buffer, files: FileSystem): Promise<void> {
  const file = await files.open(path, 'write');
  try {
    await file.write(content, 0);
    await file.flush();
  } finally {
    await file.close();
  }
}

/** Creates missing folders, because programs that copy files may leave out empty folders. */
export async function makeDataFolders(folder: string, files: FileSystem): Promise<void> {
  for (const name of dataFolderNames) await files.makeFolder(join(folder, name));
  await files.flushFolder(folder);
}

/** Renames the data folder, so that the paths of the previous owner, which may still be alive, lead nowhere. */
export async function fence(data: string, epoch: number, files: FileSystem): Promise<string> {
  const path = dirname(data);
  const target = join(path, `data-${epoch}`);
  await files.rename(data, target);
  await files.flushFolder(path);
  return target;
}

export function manifestLost(path: string, problem: string, cause?: unknown): StoreError {
  const hint = 'Restore a backup, or run "dramaturg repair", which says first what it does';
  return incomplete(path, `its ${manifestName} ${problem}. ${hint}`, cause);
}

/** The error for a store with a problem, given as a part of a sentence, and with the next thing to do. */
function incomplete(path: string, problem: string, cause?: unknown): StoreError {
  return new StoreError(
    'store/damaged',
    `The store ${path} is incomplete: ${problem}. If it never was a store, remove what is in it.`,
    { cause },
  );
}

function notAFolder(path: string, cause?: unknown): StoreError {
  return new StoreError('store/foreign', `${path} is a file. Name a folder for the store.`, {
    cause,
  });
}

async function hasManifest(path: string, files: FileSystem): Promise<boolean> {
  try {
    return (await readManifest(path, files)) !== undefined;
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    return false;
  }
}

export interface BackupParts {
  /** The data folder. */
  readonly data: string;
  readonly files: FileSystem;
  readonly scheduler: Pick<Scheduler, 'yield'>;
  readonly manifest: Manifest;
  /** The content of the journal at one instant. */
  readonly journal: Buffer;
}

/** Copies a store while no file of a record changes. */
export async function copyFiles(parts: BackupParts, target: string): Promise<void> {
  const { data, files, scheduler, manifest, journal } = parts;
  await startCreation(target, files);
  await finishCreation(target, files, { ...manifest, isClosed: true }, async (folder) => {
    await writeFile(join(folder, manifest.journal), journal, files);
    for (const inner of ['records', 'damaged']) {
      const names = await listIfExists(join(data, inner), files);
      await concurrently(names, async (name) => {
        const content = await files.readFile(join(data, inner, name));
        await writeFile(join(folder, inner, name), content, files);
        await scheduler.yield();
      });
      await files.flushFolder(join(folder, inner));
    }
    await files.flushFolder(folder);
  });
}
