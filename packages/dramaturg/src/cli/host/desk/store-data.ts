import { copyFile, realpath, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { visible } from '@dramaturg/compiler';
import { type MemoryOwner, memoryPorts } from '@dramaturg/host';
import { statusOf } from '../../files.ts';
import { UsageError } from '../../usage-error.ts';
import { kindIn, storeFiles } from './store-folder.ts';

/** The file with the memories of a store's instances. */
export function memoryFileIn(folder: string): string {
  return join(folder, 'memory.json');
}

/** The file with what the workflows of a store have spent. */
export function spendingFileIn(folder: string): string {
  return join(folder, 'spending.json');
}

/** The memories in the folder of a store. The file is opened at the first call. */
export function memoryOwnerIn(folder: string): MemoryOwner {
  let opened: MemoryOwner | undefined;
  const memory = () => (opened ??= memoryPorts({ file: memoryFileIn(folder) }));
  return {
    forget: (instances) => memory().forget(instances),
    memoriesOf: (instances) => memory().memoriesOf(instances),
  };
}

/** @throws UsageError when something is at the path */
export async function requireNewFolder(target: string): Promise<void> {
  if ((await statusOf(target)) === undefined) return;
  throw new UsageError(
    `"${visible(target)}" exists already. Nothing was changed.`,
    'Name a path where nothing is.',
  );
}

/** @throws UsageError when the target of a backup is in the folder of the store, also by way of links */
export async function requireOutside(folder: string, target: string): Promise<void> {
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
 * Copies a store into a new folder, with its memories. The folder is removed when that fails.
 *
 * @param copy copies the store itself to a path
 */
export async function backupFolder(
  folder: string,
  target: string,
  copy: (path: string) => Promise<void>,
): Promise<void> {
  await requireNewFolder(target);
  await requireOutside(folder, target);
  try {
    const isDatabase = (await kindIn(folder)) === 'sqlite';
    await copy(isDatabase ? join(target, storeFiles.sqlite) : target);
    await copyMemories(folder, target);
  } catch (error) {
    await rm(target, { recursive: true, force: true });
    throw error;
  }
}

/** Copies the files beside a store: its memories, and what its workflows have spent. */
export async function copyMemories(from: string, to: string): Promise<void> {
  for (const fileIn of [memoryFileIn, spendingFileIn]) {
    if ((await statusOf(fileIn(from))) !== undefined) await copyFile(fileIn(from), fileIn(to));
  }
}
