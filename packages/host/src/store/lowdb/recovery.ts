import { join } from 'node:path';
import type { RecordSummary } from '../contract.ts';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, listIfExists, type OpenFile, readIfExists } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import { changedSummary, firstSummary } from '../record-state.ts';
import { inSlices } from '../slices.ts';
import type { DamagedFolder } from './damaged-folder.ts';
import type { FeedLine } from './feed.ts';
import { folderNameOf } from './folder-name.ts';
import { type IndexedRecord, readIndex } from './index-file.ts';
import {
  type FoundLine,
  markName,
  numberOfMark,
  type OpenJournalFile,
  readableLines,
} from './journal.ts';
import type { JournalFile, ManifestContent } from './manifest.ts';
import { Places } from './places.ts';

/** What the files of a store contain. */
export interface Recovered {
  readonly records: ReadonlyMap<string, Summarised>;
  readonly places: Places;
  /** Each has an end. */
  readonly journals: readonly (OpenJournalFile & Required<JournalFile>)[];
  /** The number of the last write. */
  readonly number: number;
  /** The lines of the feed that are only in the journal. */
  readonly feed: readonly FeedLine[];
  readonly indexBytes: number;
  /** Records that cannot be served. */
  readonly damaged: ReadonlyMap<string, DamageError>;
  /** Names in the folder of records that belong to no record. */
  readonly unknown: readonly string[];
  /** The number of writes that are lost and whose records are not known. */
  readonly lost: number;
}

interface Summarised {
  readonly summary: RecordSummary;
  readonly letters: boolean;
}

export interface RecoveryParts {
  /** The data folder. */
  readonly data: string;
  readonly files: FileSystem;
  readonly scheduler: Scheduler;
  readonly damaged: DamagedFolder;
  /** Entries to use instead of the index file. */
  readonly entries?: readonly IndexedRecord[];
  /** The manifest is lost: the journal begins where its first line does. */
  readonly isManifestLost?: boolean;
}

/**
 * Reads the index and the journal of a store. Writes nothing.
 *
 * A write that the device had is proved by the mark, by the end of its file in the manifest, or by a later line. When it cannot be read,
 * it is lost, and its record is damaged. Other lines that cannot be read were not acknowledged: the journal ends before them.
 *
 * @throws `DamageError` when the index is damaged; `store/damaged` when a file of the journal is missing
 */
export async function recover(parts: RecoveryParts, content: ManifestContent): Promise<Recovered> {
  const { data, files, scheduler, entries, isManifestLost = false } = parts;
  const index =
    entries === undefined
      ? await readIndex(data, content.index, files, scheduler)
      : { entries, bytes: 0 };
  const recovery = new Recovery(parts.damaged, content.feed.last);
  await inSlices(index.entries, scheduler, (entry) => recovery.addIndexed(entry));
  const journals: OpenJournalFile[] = [];
  try {
    for (const journal of content.journals)
      journals.push({ ...journal, file: await openJournal(join(data, journal.name), files) });
    const mark = numberOfMark(await readIfExists(join(data, markName), files));
    const found: (readonly FoundLine[])[] = [];
    for (const journal of journals) found.push(await readableLines(journal, scheduler));
    const proofs = [
      content.folded,
      mark,
      recovery.last,
      ...journals.map(({ end }) => end?.number ?? 0),
      ...found.map((lines) => lines.reduce((most, line) => Math.max(most, line.flushed), 0)),
    ];
    const durable = proofs.reduce((most, number) => Math.max(most, number), 0);
    const [first] = found.flat();
    const chain = new Chain(
      isManifestLost ? numberBefore(first, durable) : content.folded,
      durable,
    );
    const ended: (OpenJournalFile & Required<JournalFile>)[] = [];
    for (const [at, journal] of journals.entries()) {
      let bytes = 0;
      await inSlices(found[at]!, scheduler, (line) => {
        if (!chain.accepts(line)) return;
        bytes = line.place.offset + line.place.length + 1;
        recovery.add(line);
      });
      chain.reach(journal.end?.number ?? 0);
      ended.push({ end: { number: chain.number, bytes }, ...journal });
    }
    chain.reach(durable);
    // What is lost at the end is over, too: otherwise it would be found again.
    const last = ended.pop();
    if (last !== undefined) ended.push({ ...last, end: { ...last.end, number: chain.number } });
    for (const [number, id] of chain.identified) recovery.lose(id, number);
    const names = new Set(await listIfExists(join(data, 'records'), files));
    await inSlices(Array.from(recovery.records.keys()), scheduler, (id) => {
      const name = folderNameOf(id);
      if (!names.delete(name) && (recovery.places.get(id)?.folded ?? 0) > 0)
        recovery.damage(id, 'Its folder is missing.');
    });
    for (const id of recovery.damaged.keys()) names.delete(folderNameOf(id));
    for (const id of recovery.places.unfolded()) names.delete(folderNameOf(id));
    return {
      ...recovery.result(),
      journals: ended,
      number: chain.number,
      indexBytes: index.bytes,
      unknown: [...names],
      lost: chain.lost.size - chain.identified.size,
    };
  } catch (error) {
    for (const { file } of journals) await file.close();
    throw error;
  }
}

/** The number before the journal. A line that names one before it in its file is not the first one. */
function numberBefore(first: FoundLine | undefined, durable: number): number {
  if (first === undefined) return durable;
  return first.number - (first.previous === '' ? 1 : 2);
}

/** The numbers of writes in the journal: each follows the one before. */
class Chain {
  /** The number of the last write. */
  number: number;
  /** The numbers of writes that are lost. */
  readonly lost = new Set<number>();
  /** The record of a lost write, where another line names it. */
  readonly identified = new Map<number, string>();
  readonly #durable: number;
  #isOver = false;

  constructor(number: number, durable: number) {
    this.number = number;
    this.#durable = durable;
  }

  /** @returns false for a line after the end */
  accepts({ number, id, before, previous }: FoundLine): boolean {
    if (this.#isOver || number <= this.number) return false;
    this.reach(number - 1);
    if (this.number !== number - 1) {
      this.#isOver = true;
      return false;
    }
    if (this.lost.has(number - 1) && previous !== '') this.identified.set(number - 1, previous);
    if (this.lost.has(before)) this.identified.set(before, id);
    this.number = number;
    return true;
  }

  /** Notes the writes up to a number that the device had, and that cannot be read. */
  reach(number: number): void {
    while (this.number < Math.min(number, this.#durable)) {
      this.number += 1;
      this.lost.add(this.number);
    }
  }
}

/** The records, as the lines of the journal are added to the index. */
class Recovery {
  readonly records = new Map<string, Summarised>();
  readonly places = new Places();
  readonly damaged = new Map<string, DamageError>();
  readonly #through = new Map<string, number>();
  readonly #feed: FeedLine[] = [];
  /** The number of the last write that the index includes. */
  last = 0;
  readonly #setAside: DamagedFolder;
  readonly #feedEnd: number;

  constructor(setAside: DamagedFolder, feedEnd: number) {
    this.#setAside = setAside;
    this.#feedEnd = feedEnd;
  }

  addIndexed({ summary, letters, folded, through, firstWrite }: IndexedRecord): void {
    const { id } = summary;
    this.last = Math.max(this.last, through);
    if (this.#setAside.get(id) !== undefined) return;
    this.places.setFolded(id, firstWrite, folded);
    this.records.set(id, { summary, letters });
    if (through > folded) this.#through.set(id, through);
  }

  add({ number, id, before, letters, from, place, write }: FoundLine): void {
    if (this.#setAside.get(id) !== undefined) return;
    if (from !== undefined && number > this.#feedEnd && 'journal' in write)
      this.#feed.push({ position: number, id, from, lines: write.journal.length });
    const known = this.places.get(id);
    const isKnown = known !== undefined && known.firstWrite !== Infinity;
    if (isKnown && number <= known.folded) return;
    if (write.type === 'delete') {
      this.records.delete(id);
      this.damaged.delete(id);
      this.#through.delete(id);
      this.places.setDeleted(id, number);
      return;
    }
    if (isKnown ? before !== known.lastWrite : before !== 0)
      this.damage(id, before === 0 ? 'It was created twice.' : `Its write ${before} is missing.`);
    this.places.add(id, place);
    const old = this.records.get(id);
    if (number > (this.#through.get(id) ?? 0) && (old !== undefined) === (write.type !== 'create'))
      this.records.set(id, {
        summary:
          write.type === 'create' ? firstSummary(write) : changedSummary(old!.summary, write),
        letters,
      });
  }

  /** A write of a record is lost. A later deletion makes it irrelevant. */
  lose(id: string, number: number): void {
    if (this.#setAside.get(id) !== undefined) return;
    const { firstWrite = 0, lastWrite = 0, folded = 0 } = this.places.get(id) ?? {};
    const isOver = firstWrite === Infinity ? lastWrite > number : firstWrite > number;
    if (!isOver && folded < number)
      this.damage(id, `Its write ${number} in the journal cannot be read.`);
  }

  damage(id: string, reason: string): void {
    if (!this.damaged.has(id)) this.damaged.set(id, new DamageError(reason));
  }

  result(): Pick<Recovered, 'records' | 'places' | 'damaged' | 'feed'> {
    for (const id of this.damaged.keys()) this.records.delete(id);
    const { records, places, damaged } = this;
    return { records, places, damaged, feed: this.#feed };
  }
}

async function openJournal(path: string, files: FileSystem): Promise<OpenFile> {
  try {
    return await files.open(path, 'read');
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    const message = `The file ${path} is missing: it has the newest writes. Put it back, or restore a backup. To go on without it, run "dramaturg repair", which says first what is lost.`;
    throw new StoreError('store/damaged', message, { cause: error });
  }
}
