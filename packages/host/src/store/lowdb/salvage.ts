import { join } from 'node:path';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, listIfExists } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { StoreError } from '../errors.ts';
import { noteName, restoredId } from './damaged-folder.ts';
import { checkFeed } from './feed.ts';
import { folderNameOf } from './folder-name.ts';
import { type IndexedRecord, readIndex } from './index-file.ts';
import { type JournalFile, emptyManifest, type ManifestContent, readManifest } from './manifest.ts';
import { readRecord } from './record-file.ts';
import { toDamageError } from './to-damage-error.ts';

/** What is left of a store that has lost its manifest, its index, or a part of its journal. */
export interface Salvage {
  readonly content: ManifestContent;
  /** The index, as the records have it. */
  readonly entries: readonly IndexedRecord[];
  /** Folders in which no record can be read, by their names. */
  readonly unreadable: ReadonlyMap<string, DamageError>;
  readonly isManifestLost: boolean;
  /** Whether the feed may be kept: the manifest, the journal and all files of the feed are there. */
  readonly keepsFeed: boolean;
}

/** Reads all records of a store. Writes nothing. */
export async function salvaged(
  data: string,
  files: FileSystem,
  scheduler: Pick<Scheduler, 'yield'>,
): Promise<Salvage> {
  const manifest = await manifestIfIntact(data, files);
  const names = new Set(await listIfExists(data, files));
  const journals =
    manifest?.journals.filter(({ name }) => names.has(name)) ?? journalsIn([...names]);
  const { entries, unreadable } = await recordsIn(data, files, scheduler);
  const indexed =
    manifest && (await readIndex(data, manifest.index, files, scheduler).catch(ignoreDamage));
  for (const entry of indexed?.entries ?? []) {
    const { id } = entry.summary;
    if (unreadable.has(folderNameOf(id)) || (entries.get(id)?.folded ?? -1) < entry.folded)
      entries.set(id, entry);
    unreadable.delete(folderNameOf(id));
  }
  const epochs = journals.map(({ name }) => Number(name.split('-')[1]));
  const content = manifest ?? {
    ...emptyManifest(''),
    epoch: epochs.reduce((most, epoch) => Math.max(most, epoch), 0),
  };
  return {
    content: { ...content, journals },
    entries: [...entries.values()],
    unreadable,
    isManifestLost: manifest === undefined,
    keepsFeed:
      manifest !== undefined &&
      journals.length === manifest.journals.length &&
      (await checkFeed(data, manifest.feed, files).then(() => true, ignoreDamage)) === true,
  };
}

async function recordsIn(data: string, files: FileSystem, scheduler: Pick<Scheduler, 'yield'>) {
  const entries = new Map<string, IndexedRecord>();
  const unreadable = new Map<string, DamageError>();
  for (const name of await listIfExists(join(data, 'records'), files)) {
    const folder = join(data, 'records', name);
    await scheduler.yield();
    try {
      if ((await files.stat(join(folder, noteName))) !== undefined) continue;
      const id = await restoredId(folder, files);
      if (id !== undefined && folderNameOf(id) !== name)
        throw new DamageError('Its file record.json is of another record.');
      const found = await readRecord(folder, id ?? name, files);
      if (found === undefined) continue;
      const { state, lastWrite, firstWrite } = found;
      const { summary, outbox } = state;
      const numbers = { folded: lastWrite, through: lastWrite, firstWrite };
      entries.set(summary.id, { summary, letters: outbox.size > 0, ...numbers });
    } catch (error) {
      const damage = toDamageError(error);
      if (damage === undefined) throw error;
      unreadable.set(name, damage);
    }
  }
  return { entries, unreadable };
}

async function manifestIfIntact(
  data: string,
  files: FileSystem,
): Promise<ManifestContent | undefined> {
  try {
    return await readManifest(data, files);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store/damaged') return undefined;
    throw error;
  }
}

/** The files of the journal, oldest first, where the manifest is lost. */
function journalsIn(names: readonly string[]): JournalFile[] {
  const order = (name: string) => {
    const [epoch = 0, count = 0] = name.match(/\d+/g)?.map(Number) ?? [];
    return epoch * 1e6 + count;
  };
  return names
    .filter((name) => name.startsWith('journal-'))
    .toSorted((one, other) => order(one) - order(other))
    .map((name) => ({ name, after: 0 }));
}

function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof DamageError)) throw error;
}
