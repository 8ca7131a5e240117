import { basename, join } from 'node:path';
import type { FileSystem } from '../disk/file-system.ts';
import { replaceFile } from '../disk/replace-file.ts';
import type { System } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import type { FsyncMode } from '../fsync.ts';
import { OwnerLock, type PreviousOwner } from '../owner/owner-lock.ts';
import { createParts } from './create-parts.ts';
import {
  dataFolderName,
  epochOf,
  finishCreation,
  inspect,
  lockName,
  makeDataFolders,
  newFolderName,
  startCreation,
} from './layout.ts';
import type { Segment } from './log/segment-file.ts';
import { Manifest, type ManifestContent, readManifest } from './manifest.ts';
import { OpenLowdbStore } from './open-store.ts';
import { recover } from './recovery.ts';

export interface WritingOptions {
  readonly system: System;
  readonly fsync: FsyncMode;
  readonly onError: (error: StoreError) => void;
  readonly segmentSize: number;
}

/** Creates a store unless it exists, takes its owner lock and opens it. */
export async function openForWriting(
  path: string,
  owner: string,
  options: WritingOptions,
): Promise<OpenLowdbStore> {
  const { system, onError } = options;
  const { files } = system;
  const randomId = () => system.randomId();
  if (typeof (await inspect(path, files)) === 'string') await startCreation(path, files);
  const lock = await OwnerLock.acquire(join(path, lockName), owner, {
    system,
    onTrouble: onError,
  });
  try {
    // Another owner may have created or replaced the store in the meantime.
    const found = await inspect(path, files);
    const data =
      typeof found === 'string' ? await finishCreation(path, files, randomId) : found.data;
    const { store, log } = await openData(path, data, lock, options);
    lock.lost.throwIfAborted();
    lock.lost.addEventListener('abort', () => log.break(lock.lost.reason as StoreError));
    return store;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openData(path: string, found: string, lock: OwnerLock, options: WritingOptions) {
  const { system, fsync, onError, segmentSize } = options;
  const { files, scheduler } = system;
  const randomId = () => system.randomId();
  const before = await readManifest(found, files);
  await makeDataFolders(found, files);
  const epoch = Math.max(before.epoch, epochOf(found)) + 1;
  const isFenced = needsFence(lock.previous, before);
  const data = isFenced ? await renameData(path, found, epoch, files) : found;
  const draft = () => join(data, 'temporary', randomId());
  const recovered = await recover(data, files, before, scheduler);
  const { segments, lostWrites } = recovered;
  if (lostWrites > 0) {
    throw new StoreError(
      'store/damaged',
      `${lostWrites} writes in the log of the store ${path} cannot be read, and their records are not known. Restore a backup, or copy what can be read into a new store with "dramaturg restore".`,
    );
  }
  const isUnfinished = (index: number) => before.segments[index]?.end === undefined;
  for (const segment of segments.filter((_, index) => isUnfinished(index)))
    await secure(segment, isFenced ? draft() : undefined, files);
  const fence = isFenced ? epoch - 1 : before.fence;
  const infos = segments.map(({ info }) => info);
  const manifest = new Manifest(data, files, randomId, before);
  await manifest.change((content) => ({
    ...content,
    epoch,
    fence,
    isClosed: false,
    segments: infos,
  }));
  await sweep(path, data, manifest.content, files);
  const parts = await createParts(
    { path, data, files, scheduler, manifest, onError, draft, fsync, segmentSize, owner: lock },
    recovered,
  );
  const store = new OpenLowdbStore({ ...parts, lock });
  await store.repair(recovered, randomId);
  return { store, log: parts.log };
}

/** Whether the owner before may still be alive and have files open. */
function needsFence(previous: PreviousOwner, { isClosed, epoch }: ManifestContent): boolean {
  // Without a lock, a person may have removed the one of a living owner.
  return previous === 'silent' || (previous === 'none' && !isClosed && epoch > 0);
}

/** Paths of the owner before lead nowhere from now on. */
async function renameData(
  path: string,
  data: string,
  epoch: number,
  files: FileSystem,
): Promise<string> {
  const target = join(path, dataFolderName(epoch));
  await files.rename(data, target);
  await files.flushFolder(path);
  return target;
}

/**
 * Makes sure that the device has what was read from a segment that was being written.
 *
 * @param draft copies the file by way of this path, so that late writes of its owner go nowhere
 */
async function secure(
  { path, end }: Segment,
  draft: string | undefined,
  files: FileSystem,
): Promise<void> {
  if (draft !== undefined) {
    const bytes = await files.readFile(path);
    await replaceFile(files, draft, path, [bytes.subarray(0, end!.bytes)]);
    return;
  }
  const file = await files.open(path, 'write');
  try {
    await file.flush();
  } finally {
    await file.close();
  }
}

/** Removes what an owner has left that died: incomplete files, and files that the manifest no longer names. */
async function sweep(
  path: string,
  data: string,
  { segments, index, feed }: ManifestContent,
  files: FileSystem,
): Promise<void> {
  const kept = new Set([...segments.map(({ name }) => name), index.name, feed.file]);
  await files.remove(join(path, newFolderName));
  for (const folder of [join(data, 'temporary'), join(data, 'log'), data]) {
    const isIncomplete = basename(folder) === 'temporary';
    for (const name of await files.list(folder))
      if (isIncomplete || (/^(\d|index-|feed-).*\.jsonl$/.test(name) && !kept.has(name)))
        await files.remove(join(folder, name));
  }
}
