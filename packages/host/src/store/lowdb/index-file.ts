import { join } from 'node:path';
import type { RecordSummary } from '../contract.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { DamageError } from '../damage-error.ts';
import { sliceLength } from '../slices.ts';
import { LineFile } from './line-file.ts';
import { linesIn } from './line-ranges.ts';
import type { Manifest, ManifestContent } from './manifest.ts';

/** What the index knows of a record whose writes are in its files. */
export interface IndexedRecord {
  readonly summary: RecordSummary;
  readonly letters: boolean;
  /** The number of the last write that `record.json` includes. */
  readonly writes: number;
  /** The number of the last write that the summary includes. */
  readonly through: number;
  /** The number of the write that created it. */
  readonly firstWrite: number;
}

/** New entries of an index file, by the id of the record. An entry is undefined when the record was deleted. */
export type IndexEntries = Iterable<readonly [string, IndexedRecord | undefined]>;

export interface IndexFileParts {
  /** The data folder of the store. */
  readonly folder: string;
  readonly files: FileSystem;
  readonly manifest: Manifest;
  readonly scheduler: Scheduler;
  /** Waits until the device has every write that the entries include. */
  readonly secure: () => Promise<void>;
}

/**
 * The file `index-<epoch>-<n>.jsonl`: the summaries of all records that have files, so that the store opens without
 * reading them. It is appended to; a later line replaces an earlier one. When most lines are replaced, a new file is
 * written. Entries are written in slices, and are read from their source slice by slice.
 */
export class IndexFile {
  readonly #parts: IndexFileParts;
  #count = 0;

  constructor(parts: IndexFileParts) {
    this.#parts = parts;
  }

  /** Whether a new file would have less than half of the lines. */
  isWorthRewriting(records: number): boolean {
    const { index } = this.#parts.manifest.content;
    return linesIn(index.ranges) > 2 * records + 1_000;
  }

  /** @param countRecords counts the records in the index after the changes */
  async append(entries: IndexEntries, countRecords: () => number): Promise<void> {
    const { folder, files, manifest } = this.#parts;
    const before = manifest.content.index;
    const { index } = await this.#write(before, entries);
    if (before.ranges.length === 0) await files.flushFolder(folder);
    await manifest.change((content) => ({ ...content, index, records: countRecords() }));
  }

  /** Writes a new file with all records. */
  async rewrite(entries: IndexEntries): Promise<void> {
    const { folder, files, manifest } = this.#parts;
    const old = manifest.content.index;
    this.#count += 1;
    const name = `index-${manifest.content.epoch}-${this.#count}.jsonl`;
    const { index, records } = await this.#write({ name, ranges: [] }, entries);
    await files.flushFolder(folder);
    await manifest.change((content) => ({ ...content, index, records }));
    await files.remove(join(folder, old.name));
  }

  /** Appends to a file. Nobody reads the new lines before the manifest has their ranges. */
  async #write(
    { name, ranges }: ManifestContent['index'],
    entries: IndexEntries,
  ): Promise<{ readonly index: ManifestContent['index']; readonly records: number }> {
    const { folder, files, scheduler, secure } = this.#parts;
    const file = new LineFile(join(folder, name), files);
    let written = ranges;
    let records = 0;
    let slice: string[] = [];
    const writeSlice = async () => {
      written = await file.append(written, slice);
      slice = [];
      await scheduler.yield();
    };
    for (const [id, entry] of entries) {
      records += 1;
      if (slice.push(formatEntry(id, entry)) === linesPerWrite) await writeSlice();
    }
    await writeSlice();
    await secure();
    return { index: { name, ranges: written }, records };
  }
}

/** Each write waits for the device. */
const linesPerWrite = 2_000;

/**
 * Reads the entries of an index file.
 *
 * @throws `DamageError`
 */
export async function readIndex(
  folder: string,
  files: FileSystem,
  { index }: ManifestContent,
  scheduler: Scheduler,
): Promise<Map<string, IndexedRecord>> {
  const file = new LineFile(join(folder, index.name), files);
  const entries = new Map<string, IndexedRecord>();
  const count = linesIn(index.ranges);
  for (let from = 0; from < count; from += sliceLength) {
    for (const line of await file.read(index.ranges, from, sliceLength)) {
      const { id, entry } = parseEntry(line);
      if (entry === undefined) entries.delete(id);
      else entries.set(id, entry);
    }
    await scheduler.yield();
  }
  return entries;
}

function formatEntry(id: string, entry: IndexedRecord | undefined): string {
  if (entry === undefined) return JSON.stringify({ id, deleted: true });
  const { summary, ...state } = entry;
  return JSON.stringify({ ...summary, ...state });
}

function parseEntry(line: string): { id: string; entry: IndexedRecord | undefined } {
  try {
    const { letters, writes, through, firstWrite, deleted, ...summary } = JSON.parse(line);
    const entry = deleted === true ? undefined : { summary, letters, writes, through, firstWrite };
    return { id: summary.id, entry };
  } catch (cause) {
    throw new DamageError('A line of the index is not JSON.', { cause });
  }
}
