import { join } from 'node:path';
import type { RecordSummary } from '../contract.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { DamageError } from '../damage-error.ts';
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
}

/** The changes of an index file: the new entry of each record, undefined when the record was deleted. */
export type IndexChanges = ReadonlyMap<string, IndexedRecord | undefined>;

/**
 * The file `index-<epoch>-<n>.jsonl`: the summaries of all records that have files, so that the store opens without
 * reading them. It is appended to; a later line replaces an earlier one. When most lines are replaced, a new file is
 * written.
 */
export class IndexFile {
  readonly #folder: string;
  readonly #files: FileSystem;
  readonly #manifest: Manifest;
  readonly #scheduler: Scheduler;
  #count = 0;

  constructor(folder: string, files: FileSystem, manifest: Manifest, scheduler: Scheduler) {
    this.#folder = folder;
    this.#files = files;
    this.#manifest = manifest;
    this.#scheduler = scheduler;
  }

  /** Whether a new file would have less than half of the lines. */
  isWorthRewriting(records: number): boolean {
    const { index } = this.#manifest.content;
    return linesIn(index.ranges) > 2 * records + 1_000;
  }

  /** @param records the number of records in the index after the changes */
  async append(changes: IndexChanges, records: number): Promise<void> {
    const { index } = this.#manifest.content;
    const lines = Array.from(changes, ([id, entry]) => formatEntry(id, entry));
    const ranges = await this.#file(index.name).append(index.ranges, lines);
    if (index.ranges.length === 0) await this.#files.flushFolder(this.#folder);
    await this.#manifest.change((content) => ({
      ...content,
      index: { ...index, ranges },
      records,
    }));
  }

  /** Writes a new file with all records, in slices. */
  async rewrite(entries: Iterable<readonly [string, IndexedRecord]>): Promise<void> {
    const old = this.#manifest.content.index;
    this.#count += 1;
    const name = `index-${this.#manifest.content.epoch}-${this.#count}.jsonl`;
    const file = this.#file(name);
    let index: ManifestContent['index'] = { name, ranges: [] };
    let records = 0;
    let slice: string[] = [];
    const writeSlice = async () => {
      index = { name, ranges: await file.append(index.ranges, slice) };
      slice = [];
      await this.#scheduler.yield();
    };
    for (const [id, entry] of entries) {
      records += 1;
      if (slice.push(formatEntry(id, entry)) === sliceSize) await writeSlice();
    }
    await writeSlice();
    await this.#files.flushFolder(this.#folder);
    await this.#manifest.change((content) => ({ ...content, index, records }));
    await this.#files.remove(join(this.#folder, old.name));
  }

  #file(name: string): LineFile {
    return new LineFile(join(this.#folder, name), this.#files);
  }
}

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
  for (let from = 0; from < count; from += sliceSize) {
    for (const line of await file.read(index.ranges, from, sliceSize)) {
      const { id, entry } = parseEntry(line);
      if (entry === undefined) entries.delete(id);
      else entries.set(id, entry);
    }
    await scheduler.yield();
  }
  return entries;
}

const sliceSize = 2_000;

function formatEntry(id: string, entry: IndexedRecord | undefined): string {
  if (entry === undefined) return JSON.stringify({ id, deleted: true });
  const { summary, ...state } = entry;
  return JSON.stringify({ ...summary, ...state });
}

function parseEntry(line: string): { id: string; entry: IndexedRecord | undefined } {
  try {
    const { letters, writes, through, deleted, ...summary } = JSON.parse(line);
    const entry = deleted === true ? undefined : { summary, letters, writes, through };
    return { id: summary.id, entry };
  } catch (cause) {
    throw new DamageError('A line of the index is not JSON.', { cause });
  }
}
