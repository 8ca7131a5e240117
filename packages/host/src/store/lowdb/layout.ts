import { dirname, join } from 'node:path';
import { checksum } from '../checksum.ts';
import { type FileSystem, listIfExists } from '../disk/file-system.ts';
import { makeFolders } from '../disk/make-folders.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import { emptyManifest, Manifest, type ManifestContent } from './manifest.ts';

/** The file that marks a folder as a store, with the version of its layout. */
const markerName = 'store.json';
const kind = 'dramaturg/lowdb';
const version = 4;

/** The folder of a store that is being created. It becomes the data folder. */
export const newFolderName = 'creating';
export const lockName = 'owner.lock';
const dataFolderNames = ['records', 'damaged', 'temporary'] as const;

/** `data`, or `data-<epoch>` after a takeover from an owner that may still be alive. */
export function dataFolderName(epoch: number): string {
  return `data-${epoch}`;
}

/** The epoch in the name of a data folder; 0 when it has none. */
export function epochOf(data: string): number {
  return Number(/data-(\d+)$/.exec(data)?.[1] ?? 0);
}

function isDataFolder(name: string): boolean {
  return /^data(-\d+)?$/.test(name);
}

/**
 * What is in a folder: nothing, a store whose creation was interrupted, or a store with its data folder.
 *
 * @throws `store/foreign` when it is something else; `store/damaged` when a part of a store is missing
 */
export async function inspect(
  path: string,
  files: FileSystem,
): Promise<'none' | 'creating' | { readonly data: string }> {
  const names = await namesIn(path, files);
  if (names === undefined) return 'none';
  const isMarked = names.includes(markerName);
  if (isMarked) await checkMarker(path, files);
  const folders = names.filter(isDataFolder);
  if (isMarked && folders.length === 1) return { data: join(path, folders[0]!) };
  if (folders.length === 0 && names.includes(newFolderName)) return 'creating';
  if (isMarked || folders.length > 0 || names.some((name) => name.startsWith(lockName))) {
    throw incomplete(path, isMarked, folders);
  }
  if (names.length === 0) return 'none';
  throw new StoreError(
    'store/foreign',
    `${path} is not a store: it contains "${names[0]}" and no ${markerName}. Name an empty folder, or one that does not exist.`,
  );
}

/**
 * Which part a store lacks: `store.json`, which may also be unreadable, or its data folder.
 *
 * @throws `store/foreign` when it is of another kind or another version
 */
export async function lostPartOf(
  path: string,
  files: FileSystem,
): Promise<'marker' | 'data' | undefined> {
  const names = (await namesIn(path, files)) ?? [];
  if (names.includes(newFolderName)) return undefined;
  const folders = names.filter(isDataFolder);
  if (names.includes(markerName) && (await readMarker(path, files)) !== undefined) {
    await checkMarker(path, files);
    return folders.length === 0 ? 'data' : undefined;
  }
  if (folders.length !== 1) return undefined;
  const found = await listIfExists(join(path, folders[0]!), files);
  return found.includes('records') ? 'marker' : undefined;
}

/** @returns undefined when nothing is at the path */
async function namesIn(path: string, files: FileSystem): Promise<readonly string[] | undefined> {
  const status = await files.stat(path);
  if (status === undefined) return undefined;
  if (!status.isFolder)
    throw new StoreError('store/foreign', `${path} is a file. Name a folder for the store.`);
  return files.list(path);
}

/** Makes a folder recognizable as a store that is being created, so that its lock can be taken. */
export async function startCreation(path: string, files: FileSystem): Promise<void> {
  try {
    await makeFolders(path, files);
    await files.makeFolder(join(path, newFolderName));
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR'].includes(systemCodeOf(error) ?? '')) throw error;
    throw new StoreError('store/foreign', `${path} is a file. Name a folder for the store.`, {
      cause: error,
    });
  }
  // Before the lock: a lock alone is what remains of a store that somebody has removed.
  await files.flushFolder(path);
}

/**
 * Creates the files of a store, an empty one by default. A crash at any step leaves a folder that is recognized as incomplete: the folder
 * `creating` becomes the data folder in the last step.
 */
export async function finishCreation(
  path: string,
  files: FileSystem,
  randomId: () => string,
  content: ManifestContent = emptyManifest(checksum(randomId())),
): Promise<string> {
  const folder = join(path, newFolderName);
  await makeDataFolders(folder, files);
  const draft = () => join(folder, 'temporary', randomId());
  await new Manifest(folder, files, draft, content).change(() => content);
  await writeMarker(path, files, join(folder, 'temporary', randomId()));
  const data = join(path, 'data');
  await files.rename(folder, data);
  await files.flushFolder(path);
  await files.flushFolder(dirname(path));
  return data;
}

/** Makes the folders that are missing: programs that copy files may leave out empty folders. */
export async function makeDataFolders(folder: string, files: FileSystem): Promise<void> {
  for (const name of dataFolderNames) await files.makeFolder(join(folder, name));
  await files.flushFolder(folder);
}

function markerText(): string {
  return `${JSON.stringify({ store: kind, version }, null, 2)}\n`;
}

/** @param draft the path of the incomplete file */
export async function writeMarker(path: string, files: FileSystem, draft: string): Promise<void> {
  await replaceFile(files, draft, join(path, markerName), [markerText()]);
}

/**
 * Checks the mark of a store.
 *
 * @throws `store/foreign` when it is of another kind of store, or of another version
 */
async function checkMarker(path: string, files: FileSystem): Promise<void> {
  const found = await readMarker(path, files);
  if (found?.store !== kind) {
    throw new StoreError(
      'store/foreign',
      `${join(path, markerName)} does not mark a lowdb store. If it is damaged, run "dramaturg repair", which says first what it does.`,
    );
  }
  if (found.version !== version) {
    throw new StoreError(
      'store/foreign',
      `${path} is a store of version ${String(found.version)}, and this release reads version ${version}. Use the other release.`,
    );
  }
}

/** @returns undefined when the file is not JSON */
async function readMarker(
  path: string,
  files: FileSystem,
): Promise<{ readonly store?: unknown; readonly version?: unknown } | undefined> {
  const text = (await files.readFile(join(path, markerName))).toString();
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Whether the mark of a store is as it was written. */
export async function isMarkerIntact(path: string, files: FileSystem): Promise<boolean> {
  return (await files.readFile(join(path, markerName))).toString() === markerText();
}

function incomplete(path: string, isMarked: boolean, folders: readonly string[]): StoreError {
  const [problem, hint] =
    folders.length > 1
      ? [
          `it has ${folders.length} data folders: ${folders.join(', ')}`,
          'Move all but the newest one, the one with the greatest number, out of the folder, and keep them until the store works',
        ]
      : isMarked
        ? [
            'its data folder is missing',
            'Put it back, or restore a backup. To go on without its data, run "dramaturg repair"',
          ]
        : folders.length === 1
          ? [
              `its ${markerName} is missing`,
              'Run "dramaturg repair", which says first what it does, or restore a backup',
            ]
          : [`its ${markerName} and its data folder are missing`, 'Restore a backup'];
  return new StoreError(
    'store/damaged',
    `The store ${path} is incomplete: ${problem}. ${hint}. If it never was a store, remove what is in it.`,
  );
}
