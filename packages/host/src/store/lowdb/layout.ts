import { dirname, join } from 'node:path';
import { isRecord } from '@dramaturg/compiler';
import type { FileSystem } from '../disk/file-system.ts';
import { makeFolders } from '../disk/make-folders.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import { markName, markOf } from './journal.ts';
import { kind, type Manifest, manifestName, version, writeManifest } from './manifest.ts';

/** The folder of a store that is being created. It becomes the data folder. */
const newFolderName = 'creating';
export const lockName = 'owner.lock';
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
 * @returns `hasManifest`: whether its manifest is there; undefined when there is no store yet
 * @throws `store/foreign` when the path is something else; `store/damaged` when a part of a store is missing
 */
export async function findData(
  path: string,
  files: FileSystem,
): Promise<{ readonly data: string; readonly hasManifest: boolean } | undefined> {
  const status = await files.stat(path);
  if (status === undefined) return undefined;
  if (!status.isFolder) throw notAFolder(path);
  const names = await files.list(path);
  const folders = names.filter((name) => dataFolder.test(name));
  const isMarked = names.includes(manifestName);
  if (isMarked) await checkKind(path, folders.length > 0, files);
  if (folders.length === 1) return { data: join(path, folders[0]!), hasManifest: isMarked };
  if (folders.length === 0 && (names.length === 0 || names.includes(newFolderName)))
    return undefined;
  if (folders.length > 1)
    throw incomplete(
      path,
      `it has ${folders.length} data folders: ${folders.join(', ')}. Move all but the one with the greatest number out of the folder, and keep them until the store works`,
    );
  if (isMarked)
    throw incomplete(path, 'its data folder is missing. Put it back, or restore a backup');
  if (names.some((name) => name.startsWith(lockName)))
    throw incomplete(path, 'its data folder and its store.json are missing. Restore a backup');
  throw new StoreError(
    'store/foreign',
    `${path} is not a store: it contains "${names[0]}" and no ${manifestName}. Name an empty folder, or one that does not exist.`,
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
  // Before the lock: a lock alone is what remains of a store that somebody has removed.
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
  // A data folder that has a file is kept by programs that leave out empty folders.
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

export async function writeFile(path: string, content: Buffer, files: FileSystem): Promise<void> {
  const file = await files.open(path, 'write');
  try {
    await file.write(content, 0);
    await file.flush();
  } finally {
    await file.close();
  }
}

/** Makes the folders that are missing: programs that copy files may leave out empty folders. */
export async function makeDataFolders(folder: string, files: FileSystem): Promise<void> {
  for (const name of dataFolderNames) await files.makeFolder(join(folder, name));
  await files.flushFolder(folder);
}

/** Gives the data folder another name: paths of the owner before, which may still be alive, lead nowhere from now on. */
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

/** Says what is wrong with a store and what to do, in a part of a sentence. */
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

/** @throws `store/foreign` when a manifest is of another kind of store, or of another version */
async function checkKind(path: string, hasData: boolean, files: FileSystem): Promise<void> {
  const text = (await files.readFile(join(path, manifestName))).toString();
  const found = parsed(text);
  // A damaged manifest of this store.
  if (found === undefined && hasData) return;
  if (found?.['store'] !== kind)
    throw new StoreError(
      'store/foreign',
      `${join(path, manifestName)} is not of a lowdb store. Name another folder.`,
    );
  if (found['version'] !== version)
    throw new StoreError(
      'store/foreign',
      `${path} is a store of version ${String(found['version'])}, and this release reads version ${version}. Use the other release.`,
    );
}

/** @returns undefined when a text is not a JSON object */
function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return isRecord(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
