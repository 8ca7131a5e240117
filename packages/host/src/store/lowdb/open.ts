import { join } from 'node:path';
import { checksum } from '../checksum.ts';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, readIfExists } from '../disk/file-system.ts';
import type { System } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import type { FsyncMode } from '../fsync.ts';
import { checkNotOwned } from '../owner/lock-file.ts';
import { OwnerLock, type PreviousOwner } from '../owner/owner-lock.ts';
import { Records } from '../records.ts';
import type { RepairStep } from '../verification.ts';
import { DamagedRecords } from './damaged-records.ts';
import { Journal } from './journal.ts';
import {
  epochOf,
  fence,
  findData,
  finishCreation,
  lockName,
  makeDataFolders,
  type Manifest,
  manifestLost,
  newFolderName,
  readManifest,
  startCreation,
} from './layout.ts';
import { OpenLowdbStore } from './open-store.ts';
import { LowdbReader } from './reader.ts';
import { recover } from './recovery.ts';

export interface WritingOptions {
  readonly system: System;
  readonly fsync: FsyncMode;
  readonly onError: (error: StoreError) => void;
  readonly journalSize: number;
}

/**
 * Creates a store unless it exists, takes its owner lock and opens it.
 *
 * @param salvages opens the rest of a store that has lost its manifest or a part of its journal
 */
export async function openForWriting(
  path: string,
  owner: string,
  options: WritingOptions,
  salvages = false,
): Promise<OpenLowdbStore> {
  const { system, onError: onTrouble } = options;
  const { files } = system;
  if ((await findData(path, files)) === undefined) await startCreation(path, files);
  const lock = await OwnerLock.acquire(join(path, lockName), owner, { system, onTrouble });
  try {
    // Another owner may have created or replaced the store in the meantime.
    const data =
      (await findData(path, files)) ??
      (await finishCreation(path, files, emptyManifest(newFeed(system))));
    return await openData(path, data, lock, options, salvages);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function openData(
  path: string,
  found: string,
  lock: OwnerLock,
  options: WritingOptions,
  salvages: boolean,
): Promise<OpenLowdbStore> {
  const { system } = options;
  const { files } = system;
  const before = await manifestOf(path, files, salvages ? newFeed(system) : undefined);
  await makeDataFolders(found, files);
  await files.remove(join(path, newFolderName));
  // A failed opening may have left a journal.
  const epochs = (await journalNames(found, files)).map((name) => Number(name.split('-')[1]));
  const epoch = Math.max(before.manifest.epoch, epochOf(found), ...epochs) + 1;
  const isFenced = needsFence(lock.previous, before.manifest);
  const data = isFenced ? await fence(found, epoch, files) : found;
  const draft = () => join(data, 'temporary', system.randomId());
  const loaded = await load({ ...before, path, data, draft, salvages }, system);
  const { lost } = loaded.recovered;
  if (lost > 0 && !salvages) throw lostWrites(path, lost);
  const onLost = (error: StoreError) => lock.lose(error);
  const journal = new Journal(
    { folder: data, files, scheduler: system.scheduler, epoch, onLost },
    loaded.recovered.last,
  );
  lock.lost.addEventListener('abort', () => journal.break(lock.lost.reason as StoreError));
  try {
    const manifest = { ...before.manifest, epoch, isClosed: false };
    const openCopy = (copy: string) => openForReading(copy, system);
    const parts = { ...loaded.parts, ...options, manifest, lock, journal, draft, openCopy };
    const store = new OpenLowdbStore(parts);
    await store.begin(loaded.recovered, salvages);
    lock.lost.throwIfAborted();
    return store;
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** Opens a store for reading, unless a host has it. */
export async function openUnowned(path: string, system: System): Promise<LowdbReader> {
  await checkNotOwned(join(path, lockName), system);
  return openForReading(path, system);
}

/** Opens a store without an owner. Writes nothing. */
async function openForReading(
  path: string,
  system: Pick<System, 'files' | 'scheduler'>,
): Promise<LowdbReader> {
  const { files } = system;
  const data = await findData(path, files);
  if (data === undefined) throw new StoreError('store/foreign', `There is no store in ${path}.`);
  const before = await manifestOf(path, files);
  const { parts, recovered } = await load({ ...before, path, data }, system);
  const { damaged } = parts;
  for (const id of recovered.movedBack) damaged.forget(id);
  // Nothing can be moved, so damaged records are noted in their place.
  for (const { name, writes: _, ...damage } of recovered.damaged)
    damaged.add(name, { ...damage, where: join(data, 'records', `${name}.json`) });
  if (recovered.lost > 0)
    damaged.add('', { reason: lostWrites(path, recovered.lost).message, where: data });
  return new LowdbReader({ ...parts, manifest: before.manifest });
}

interface Found {
  readonly path: string;
  readonly data: string;
  readonly manifest: Manifest;
  readonly isManifestLost: boolean;
  readonly draft?: () => string;
  /** Continues without lost data. */
  readonly salvages?: boolean;
}

/** Reads all records into memory. */
async function load(
  { path, data, manifest, isManifestLost, draft = () => '', salvages = false }: Found,
  { files, scheduler }: Pick<System, 'files' | 'scheduler'>,
) {
  const damaged = new DamagedRecords(data, files, draft);
  await damaged.load();
  const names = salvages ? await journalNames(data, files) : [manifest.journal].filter(Boolean);
  const journals: Buffer[] = [];
  for (const name of names) journals.push(await readJournal(join(data, name), files));
  const parts = { data, files, scheduler, damaged, isManifestLost };
  const recovered = await recover(parts, manifest, journals);
  const records = new Records(manifest.feed);
  await records.load(recovered.records, recovered.last.number, scheduler);
  const { recordFiles } = recovered;
  return { recovered, parts: { path, data, files, scheduler, records, recordFiles, damaged } };
}

function newFeed({ randomId }: Pick<System, 'randomId'>): string {
  return checksum(randomId());
}

/** The manifest of a new store. */
function emptyManifest(feed: string): Manifest {
  return { epoch: 0, isClosed: true, journal: '', folded: 0, feed, records: new Map() };
}

/**
 * Reads the manifest.
 *
 * @param feed the name of a new feed, for replacing a lost manifest
 * @throws `store/damaged`
 */
async function manifestOf(
  path: string,
  files: FileSystem,
  feed?: string,
): Promise<Pick<Found, 'manifest' | 'isManifestLost'>> {
  let cause: DamageError | undefined;
  try {
    const manifest = await readManifest(path, files);
    if (manifest !== undefined)
      return { manifest: { ...manifest, feed: feed ?? manifest.feed }, isManifestLost: false };
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    cause = error;
  }
  if (feed === undefined)
    throw manifestLost(path, cause === undefined ? 'is missing' : 'is damaged', cause);
  return { manifest: { ...emptyManifest(feed), isClosed: false }, isManifestLost: true };
}

/** @throws `store/damaged` when it is missing */
async function readJournal(path: string, files: FileSystem): Promise<Buffer> {
  const bytes = await readIfExists(path, files);
  if (bytes !== undefined) return bytes;
  const message = `The file ${path} is missing: it has the newest writes. Put it back, or restore a backup. To go on without it, run "dramaturg repair", which says first what is lost.`;
  throw new StoreError('store/damaged', message);
}

async function journalNames(data: string, files: FileSystem): Promise<readonly string[]> {
  return (await files.list(data)).filter((name) => name.startsWith('journal-'));
}

/** Whether the previous owner may still be alive and have files open. */
function needsFence(previous: PreviousOwner, { isClosed, epoch }: Manifest): boolean {
  // A person may have removed the lock of an owner that still runs.
  return previous === 'silent' || (previous === 'none' && !isClosed && epoch > 0);
}

function lostWrites(path: string, count: number): StoreError {
  const message = `${count} writes in the journal of the store ${path} cannot be read, and their records are not known. Restore a backup. To go on without them, run "dramaturg repair", which says first what is lost.`;
  return new StoreError('store/damaged', message);
}

const action = [
  'Continues with what is left. Writes that cannot be read are lost: records return to their last state before them, new records are gone, and deleted records can be there again.',
  'Records that changed afterwards are set aside as damaged.',
  'If store.json is lost, nobody can notice which files of records are missing.',
  'The feed gets a new name: the cursors of streams of all instances and of contacts are refused.',
].join(' ');

/**
 * Plans the repair of a store that lacks `store.json` or a part of its journal. Nothing is changed until the step is applied.
 *
 * @throws `store/owned`; `store/damaged` when nothing can replace the missing part
 */
export async function planLowdbRepairs(
  path: string,
  options: WritingOptions,
): Promise<readonly RepairStep[]> {
  await checkNotOwned(join(path, lockName), options.system);
  const finding = await findingAt(path, options);
  if (finding === undefined) return [];
  const apply = async () => {
    if ((await findingAt(path, options)) !== finding)
      throw new StoreError(
        'store/damaged',
        `The store ${path} has changed since the repair was planned. Plan it again.`,
      );
    const store = await openForWriting(path, 'a repair', options, true);
    await store.close();
  };
  return [{ finding, action, apply }];
}

/** The reason why a store cannot be opened, if a repair helps. */
async function findingAt(path: string, { system }: WritingOptions): Promise<string | undefined> {
  const found = await findData(path, system.files);
  if (found === undefined) return undefined;
  try {
    const reader = await openForReading(path, system);
    const lost = (await reader.damaged()).find(({ where }) => where === found);
    await reader.close();
    return lost?.reason;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store/damaged') return error.message;
    throw error;
  }
}
