import { join } from 'node:path';
import type { FeedEntry, FeedPage, FeedRequest } from '../feed.ts';
import { indexAfter } from '../feed.ts';
import type { FileSystem } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { DamageError } from '../damage-error.ts';
import { StoreError } from '../errors.ts';
import type { RecordIndex } from '../index/record-index.ts';
import { CheckedFile, readThrough, writeThrough } from './checked-file.ts';
import type { FeedFile, FeedFiles, Manifest } from './manifest.ts';
import type { Places } from './places.ts';
import { toDamageError } from './to-damage-error.ts';

/** An entry of the feed, without what the record says. */
export type FeedLine = Omit<FeedEntry, 'kind'>;

/** A file with fewer lines is replaced by a longer one. */
const linesPerFile = 4_000;

export interface FeedParts {
  /** The data folder. */
  readonly folder: string;
  readonly files: FileSystem;
  readonly scheduler: Pick<Scheduler, 'yield'>;
  readonly manifest: Manifest;
  readonly places: Places;
  readonly index: RecordIndex;
  readonly draft: () => string;
}

/** The feed of a store: the lines of its files, and after them those of the journal, whose numbers are the positions. */
export class Feed {
  readonly #parts: FeedParts;
  /** The lines that are only in the journal. */
  #recent: FeedLine[];
  #count = 0;

  constructor(parts: FeedParts, recent: readonly FeedLine[]) {
    this.#parts = parts;
    this.#recent = [...recent];
  }

  add(line: FeedLine): void {
    this.#recent.push(line);
  }

  /**
   * @param last the number of the last write
   * @throws `store/damaged`
   */
  async read({ after, limit, contact }: FeedRequest, last: number): Promise<FeedPage> {
    const { manifest, index, folder } = this.#parts;
    // Before the files are read: folding may move lines from the journal into them at the same time.
    const recent = this.#recent;
    const end = recent.length;
    const { feed } = manifest.content;
    const entries: FeedEntry[] = [];
    const add = (lines: readonly FeedLine[], from: number, to: number) => {
      for (let at = indexAfter(lines, from); at < to && entries.length < limit; at += 1) {
        const line = lines[at]!;
        const origin = this.#isKept(line) ? index.originOf(line.id) : undefined;
        if (origin === undefined || (contact !== undefined && origin.contact !== contact)) continue;
        entries.push({ ...line, kind: origin.kind });
      }
    };
    try {
      for (const file of feed.files) {
        if (file.last <= after || entries.length === limit) continue;
        add(await this.#linesIn(file), after, file.count);
      }
    } catch (error) {
      // Folding has replaced the file.
      if (manifest.content.feed !== feed)
        return this.read({ after, limit, ...(contact === undefined ? {} : { contact }) }, last);
      const damage = toDamageError(error);
      if (damage === undefined) throw error;
      const message = `A file of the feed in ${folder} is damaged, so the events of all instances cannot be read in their order. ${damage.message} Stop the host, and run "dramaturg repair", which says first what it does.`;
      throw new StoreError('store/damaged', message, { cause: error });
    }
    add(recent, Math.max(after, feed.last), end);
    return { feed: feed.name, last, entries };
  }

  /**
   * Writes the lines up to a number into files. They are read from there when the manifest has them.
   *
   * @param isCleaned whether lines of deleted records are removed from all files
   */
  async fold(
    last: number,
    isCleaned: boolean,
    feed: FeedFiles = this.#parts.manifest.content.feed,
  ): Promise<FeedFiles> {
    const files: FeedFile[] = [];
    let lines: FeedLine[] = [];
    for (const [at, file] of feed.files.entries()) {
      const isShort = at === feed.files.length - 1 && file.count < linesPerFile;
      // A damaged file stays, so that reading the feed reports it.
      const found = isCleaned || isShort ? await this.#linesIfIntact(file) : undefined;
      const kept = found?.filter((line) => this.#isKept(line));
      if (kept === undefined || (!isShort && kept.length === found?.length)) files.push(file);
      else if (isShort) lines = kept;
      else if (kept.length > 0) files.push(await this.#write(kept));
    }
    const recent = this.#recent.filter((line) => line.position <= last && this.#isKept(line));
    lines = [...lines, ...recent];
    for (let from = 0; from < lines.length; from += linesPerFile)
      files.push(await this.#write(lines.slice(from, from + linesPerFile)));
    return { name: feed.name, last, files };
  }

  /** Forgets the lines that the files in the manifest have. */
  folded(): void {
    const { last } = this.#parts.manifest.content.feed;
    this.#recent = this.#recent.filter(({ position }) => position > last);
  }

  /** Makes a new feed: one line for the journal of each record, in the order of their last writes. */
  async rebuild(name: string, last: number): Promise<FeedFiles> {
    const { index, places } = this.#parts;
    const lines = Array.from(index.ids(), (id) => {
      const { journalLength } = index.get(id)!.summary;
      return { position: places.get(id)!.lastWrite, id, from: 0, lines: journalLength };
    }).filter((line) => line.lines > 0);
    this.#recent = lines.toSorted((one, other) => one.position - other.position);
    return this.fold(last, false, { name, last: 0, files: [] });
  }

  /**
   * Reads the files.
   *
   * @throws `DamageError`
   */
  verify(): Promise<void> {
    const { folder, files, manifest } = this.#parts;
    return checkFeed(folder, manifest.content.feed, files);
  }

  /** Whether the record is still the one that the line is of. */
  #isKept({ id, position }: FeedLine): boolean {
    return (this.#parts.places.get(id)?.firstWrite ?? Infinity) <= position;
  }

  async #linesIn(file: FeedFile): Promise<readonly FeedLine[]> {
    const { folder, files, scheduler } = this.#parts;
    await scheduler.yield();
    return readLines(folder, file, files);
  }

  async #linesIfIntact(file: FeedFile): Promise<readonly FeedLine[] | undefined> {
    try {
      return await this.#linesIn(file);
    } catch (error) {
      if (toDamageError(error) === undefined) throw error;
      return undefined;
    }
  }

  async #write(lines: readonly FeedLine[]): Promise<FeedFile> {
    this.#count += 1;
    const { folder, files, manifest, draft } = this.#parts;
    const name = `feed-${manifest.content.epoch}-${this.#count}.json`;
    const file = fileAt(join(folder, name), files, draft);
    const entries = lines.map(
      ({ position, id, from, lines: count }) => `${position} ${from} ${count} ${id}`,
    );
    await writeThrough(file, { entries });
    return { file: name, sum: file.sum!, last: lines.at(-1)!.position, count: lines.length };
  }
}

/** @throws `DamageError` when a file differs from what was written */
export async function checkFeed(folder: string, feed: FeedFiles, files: FileSystem): Promise<void> {
  for (const file of feed.files) await readLines(folder, file, files);
}

async function readLines(
  folder: string,
  { file, sum, count }: FeedFile,
  files: FileSystem,
): Promise<readonly FeedLine[]> {
  const found = fileAt(join(folder, file), files);
  const content = await readThrough(found);
  if (content === null) throw new DamageError(`Its file ${file} is missing.`);
  if (found.sum !== sum || content.entries.length !== count)
    throw new DamageError(`Its file ${file} differs from what was written.`);
  return content.entries.map((entry) => {
    const [, position, from, lines, id = ''] = /^(\d+) (\d+) (\d+) (.*)$/s.exec(entry) ?? [];
    return { position: Number(position), id, from: Number(from), lines: Number(lines) };
  });
}

/** @param draft needed for writing */
function fileAt(
  path: string,
  files: FileSystem,
  draft: () => string = () => '',
): CheckedFile<{ readonly entries: readonly string[] }> {
  return new CheckedFile(path, files, draft);
}
