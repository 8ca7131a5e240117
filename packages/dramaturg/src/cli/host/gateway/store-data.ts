import { copyFile, cp, lstat, mkdir, realpath, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { visible } from '@dramaturg/compiler/text';
import {
  attachmentFolder,
  type AttachmentOptions,
  type MemoryOwner,
  memoryPorts,
} from '@dramaturg/host';
import { statusOf } from '../../files.ts';
import { UsageError } from '../../usage-error.ts';
import { databaseName, fileBeside, kindAt, placeOf } from './store-folder.ts';

/** The file with the memories of a store's instances. */
export function memoryFileOf(store: string): string {
  return fileBeside(store, 'memory.json');
}

/** The file with the spending of a store's workflows. */
export function spendingFileOf(store: string): string {
  return fileBeside(store, 'spending.json');
}

/**
 * The file with the position up to which a store was traced. A store in Postgres has none: a host on another machine may have
 * continued since.
 */
export function traceFileOf(store: string): string | undefined {
  return placeOf(store).kind === 'postgres' ? undefined : fileBeside(store, 'traces.json');
}

/** The memories that belong to a store. The file is opened at the first call. */
export function memoryOwnerOf(store: string): MemoryOwner {
  let opened: MemoryOwner | undefined;
  const memory = () => (opened ??= memoryPorts({ file: memoryFileOf(store) }));
  return {
    forget: (instances) => memory().forget(instances),
    memoriesOf: (instances) => memory().memoriesOf(instances),
  };
}

/** The files that people have sent. A host keeps them once there is a folder `attachments` with the store. */
export function attachmentsOf(store: string): AttachmentOptions & { readonly folder: string } {
  const folder = fileBeside(store, 'attachments');
  return { folder, place: attachmentFolder(folder) };
}

/** @throws UsageError when a file or folder exists at the path */
export async function requireNew(target: string): Promise<void> {
  // A broken link also occupies the path.
  if ((await statusOf(target, lstat)) === undefined) return;
  throw new UsageError(
    `"${visible(target)}" exists already. Nothing was changed.`,
    'Name a path where nothing is.',
  );
}

/** @throws UsageError when the target of a backup is in the folder of the store, also through links */
export async function requireOutside(store: string, target: string): Promise<void> {
  const place = placeOf(store);
  if (place.kind !== 'folder') return;
  const folder = place.path;
  let parent = dirname(target);
  while ((await statusOf(parent)) === undefined) parent = dirname(parent);
  const way = relative(await realpath(folder), await realpath(parent));
  if (isAbsolute(way) || way.split(sep)[0] === '..') return;
  throw new UsageError(
    `"${visible(target)}" is in the folder of the store itself: the copy would be lost with it. Nothing was changed.`,
    `Name a path outside of "${visible(folder)}".`,
  );
}

/**
 * Copies a store to a new folder or file, with its memories. The copy is removed when that fails.
 *
 * @param copy copies the store itself to a path
 */
export async function backupStore(
  store: string,
  target: string,
  copy: (path: string) => Promise<void>,
): Promise<void> {
  await requireNew(target);
  await requireOutside(store, target);
  try {
    const isDatabase = (await kindAt(store)) === 'sqlite' && placeOf(target).kind === 'folder';
    await copy(isDatabase ? join(target, databaseName) : target);
    await copyMemories(store, target);
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

/** Copies the files that belong to a store: its memories, the spending of its workflows, and the files that people have sent. */
export async function copyMemories(from: string, to: string): Promise<void> {
  for (const fileOf of [memoryFileOf, spendingFileOf]) {
    if ((await statusOf(fileOf(from))) === undefined) continue;
    await mkdir(dirname(fileOf(to)), { recursive: true, mode: 0o700 });
    await copyFile(fileOf(from), fileOf(to));
  }
  const { folder } = attachmentsOf(from);
  if ((await statusOf(folder)) === undefined) return;
  await cp(folder, attachmentsOf(to).folder, { recursive: true });
}
