import { basename, join } from 'node:path';
import { DamageError } from '../damage-error.ts';
import type { FileSystem } from '../disk/file-system.ts';
import { replaceFile } from '../disk/replace-file.ts';
import type { System } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import type { FsyncMode } from '../fsync.ts';
import { RecordIndex } from '../index/record-index.ts';
import { OwnerLock, type PreviousOwner } from '../owner/owner-lock.ts';
import { checksum } from '../checksum.ts';
import { DamagedFolder } from './damaged-folder.ts';
import { Feed } from './feed.ts';
import { folderNameOf } from './folder-name.ts';
import { Journal, type JournalOptions, markName } from './journal.ts';
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
import { Manifest, type ManifestContent, readManifest } from './manifest.ts';
import { OpenLowdbStore } from './open-store.ts';
import { LowdbReader } from './reader.ts';
import type { LowdbReaderParts } from './reader-parts.ts';
import { recover, type Recovered, type RecoveryParts } from './recovery.ts';
import { type Salvage, salvaged } from './salvage.ts';

export interface WritingOptions {
  readonly system: System;
  readonly fsync: FsyncMode;
  readonly onError: (error: StoreError) => void;
  readonly journalSize: number;
}

/**
 * Creates a store unless it exists, takes its owner lock and opens it.
 *
 * @param salvages opens what is left of a store that has lost its manifest, its index, or a part of its journal
 */
export async function openForWriting(
  path: string,
  owner: string,
  options: WritingOptions,
  salvages = false,
): Promise<OpenLowdbStore> {
  const { system, onError } = options;
  const { files } = system;
  if (typeof (await inspect(path, files)) === 'string') await startCreation(path, files);
  const lock = await OwnerLock.acquire(join(path, lockName), owner, {
    system,
    onTrouble: onError,
  });
  try {
    // Another owner may have created or replaced the store in the meantime.
    const found = await inspect(path, files);
    const data =
      typeof found === 'string'
        ? await finishCreation(path, files, () => system.randomId())
        : found.data;
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
  const { system, fsync, onError, journalSize } = options;
  const { files, scheduler } = system;
  await makeDataFolders(found, files);
  const salvage = salvages ? await salvaged(found, files, scheduler) : undefined;
  const before = salvage?.content ?? (await readManifest(found, files));
  const epoch = Math.max(before.epoch, epochOf(found)) + 1;
  const isFenced = needsFence(lock.previous, before);
  const data = isFenced ? await renameData(path, found, epoch, files) : found;
  const draft = () => join(data, 'temporary', system.randomId());
  const { journals } = before;
  for (const { name, end } of journals)
    if (end === undefined) await secure(join(data, name), isFenced ? draft() : undefined, files);
  const damaged = new DamagedFolder(data, files, draft);
  await damaged.load();
  const recovered = await recoverAt(path, { data, files, scheduler, damaged, ...salvage }, before);
  let journal: Journal | undefined;
  try {
    if (recovered.lost > 0 && salvage === undefined) throw lostWrites(path, recovered.lost);
    const manifest = new Manifest(data, files, draft, before);
    const ended = recovered.journals.map(({ name, after, end }) => ({ name, after, end }));
    await manifest.change((content) => ({
      ...content,
      epoch,
      isClosed: false,
      journals: ended,
      folded: ended.length > 0 ? content.folded : recovered.number,
    }));
    if (salvage !== undefined) await files.remove(join(data, markName));
    await sweep(path, data, manifest.content, files);
    const given = { path, data, files, scheduler, manifest, damaged, draft, onError };
    let store: OpenLowdbStore | undefined;
    const parts = await createParts(given, recovered, {
      fsync,
      owner: lock,
      wasStored: () => store?.wasStored(),
    });
    ({ journal } = parts);
    const { indexBytes } = recovered;
    const openCopy = (copy: string) => openForReading(copy, { files, scheduler }, onError);
    store = new OpenLowdbStore({ ...parts, lock, journalSize, indexBytes, openCopy });
    const breakJournal = () => parts.journal.break(lock.lost.reason as StoreError);
    lock.lost.addEventListener('abort', breakJournal);
    await store.begin(findingsOf(recovered, salvage, checksum(system.randomId())));
    lock.lost.throwIfAborted();
    return store;
  } catch (error) {
    if (journal === undefined) for (const { file } of recovered.journals) await file.close();
    else await journal.close();
    throw error;
  }
}

function findingsOf(
  { damaged, unknown, lost }: Recovered,
  salvage: Salvage | undefined,
  newFeed: string,
): Parameters<OpenLowdbStore['begin']>[0] {
  const known = new Set(Array.from(damaged.keys(), folderNameOf));
  const isUnknown = ([name]: readonly [string, DamageError]) => !known.has(name);
  return {
    damaged,
    unreadable: new Map([...(salvage?.unreadable ?? [])].filter(isUnknown)),
    unknown,
    newFeed:
      salvage === undefined || (salvage.keepsFeed && lost + damaged.size === 0)
        ? undefined
        : newFeed,
    isSalvaged: salvage !== undefined,
  };
}

/** Opens a store that nobody has open. Writes nothing. */
export async function openForReading(
  path: string,
  { files, scheduler }: Pick<System, 'files' | 'scheduler'>,
  onError: (error: StoreError) => void,
): Promise<LowdbReader> {
  const found = await inspect(path, files);
  if (typeof found === 'string')
    throw new StoreError('store/foreign', `There is no store in ${path}.`);
  const { data } = found;
  const content = await readManifest(data, files);
  const damaged = new DamagedFolder(data, files, refuse);
  await damaged.load();
  const recovered = await recoverAt(path, { data, files, scheduler, damaged }, content);
  const manifest = new Manifest(data, files, refuse, content);
  const given = { path, data, files, scheduler, manifest, damaged, draft: refuse, onError };
  const owner = { check: async () => undefined, lose: () => undefined };
  const parts = await createParts(given, recovered, { fsync: 'always', owner, wasStored: refuse });
  // Nothing can be set aside, so everything damaged is noted where it is.
  for (const [id, { message: reason }] of recovered.damaged) {
    const name = folderNameOf(id);
    damaged.note(name, { id, reason, where: join(data, 'records', name) });
  }
  if (recovered.lost > 0)
    damaged.note('..journal', { reason: lostWrites(path, recovered.lost).message, where: data });
  const message = `The store ${path} is open for reading only.`;
  parts.journal.break(new StoreError('store/read-only', message));
  return new LowdbReader(parts);
}

function refuse(): never {
  throw new StoreError('store/read-only', 'The store is open for reading only.');
}

type Given = Omit<LowdbReaderParts, 'journal' | 'places' | 'index' | 'feed'>;

/** Creates the parts of an open store from what its files contain. */
async function createParts(
  given: Given,
  { records, places, journals, number, feed: recent }: Recovered,
  {
    fsync,
    owner,
    wasStored,
  }: Pick<JournalOptions, 'fsync' | 'owner'> & { readonly wasStored: () => void },
): Promise<LowdbReaderParts> {
  const { data: folder, scheduler } = given;
  const index = new RecordIndex();
  await index.putAll(records.values(), scheduler);
  const feed = new Feed({ ...given, folder, places, index }, recent);
  const onStored: JournalOptions['onStored'] = ({ write, summary, letters }, place) => {
    const { id } = write;
    if (summary === undefined) {
      places.setDeleted(id, place.number);
      index.remove(id);
    } else {
      places.add(id, place);
      index.put(summary, letters);
      const lines = 'journal' in write ? write.journal.length : 0;
      const from = summary.journalLength - lines;
      if (lines > 0) feed.add({ position: place.number, id, from, lines });
    }
    wasStored();
  };
  const options = { ...given, folder, places, fsync, owner, onStored };
  const journal = new Journal(options, journals, number);
  return { ...given, journal, places, index, feed };
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
 * Makes sure that the device has what can be read from the file of the journal that was being written.
 *
 * @param draft copies the file by way of this path, so that late writes of its owner go nowhere
 */
async function secure(path: string, draft: string | undefined, files: FileSystem): Promise<void> {
  if ((await files.stat(path)) === undefined) return;
  if (draft !== undefined) return replaceFile(files, draft, path, [await files.readFile(path)]);
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
  { journals, index, feed }: ManifestContent,
  files: FileSystem,
): Promise<void> {
  const named = [
    ...journals.map(({ name }) => name),
    index.file,
    ...feed.files.map((one) => one.file),
  ];
  const kept = new Set(named);
  await files.remove(join(path, newFolderName));
  for (const folder of [join(data, 'temporary'), data]) {
    const isIncomplete = basename(folder) === 'temporary';
    for (const name of await files.list(folder))
      if (isIncomplete || (/^(journal|index|feed)-/.test(name) && !kept.has(name)))
        await files.remove(join(folder, name));
  }
}

function lostWrites(path: string, count: number): StoreError {
  const message = `${count} writes in the journal of the store ${path} cannot be read, and their records are not known. Restore a backup. To go on without them, run "dramaturg repair", which says first what is lost.`;
  return new StoreError('store/damaged', message);
}

/** @throws `store/damaged` */
async function recoverAt(
  path: string,
  parts: RecoveryParts,
  content: ManifestContent,
): Promise<Recovered> {
  try {
    return await recover(parts, content);
  } catch (cause) {
    if (!(cause instanceof DamageError)) throw cause;
    const message = `The index of the store ${path} is damaged: ${cause.message} Run "dramaturg repair", which says first what it does.`;
    throw new StoreError('store/damaged', message, { cause });
  }
}
