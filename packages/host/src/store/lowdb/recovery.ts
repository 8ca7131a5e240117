import { join } from 'node:path';
import type { RecordSummary } from '../contract.ts';
import { type FileSystem, listIfExists } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { StoreError, systemCodeOf } from '../errors.ts';
import { changedSummary, firstSummary } from '../record-state.ts';
import { DamageError } from '../damage-error.ts';
import { inSlices } from '../slices.ts';
import { folderNameOf } from './folder-name.ts';
import { type IndexedRecord, readIndex } from './index-file.ts';
import { type LogLine, type LogPosition, writeOf } from './log/line.ts';
import { type LineBytes, readSegment } from './log/segment.ts';
import { Segment } from './log/segment-file.ts';
import type { ManifestContent } from './manifest.ts';
import { RecordFile } from './record-file.ts';
import { RecordPlaces } from './record-places.ts';
import { toDamageError } from './to-damage-error.ts';

/** The summary of a record. */
export interface FoundRecord {
  readonly summary: RecordSummary;
  readonly letters: boolean;
  /** The number of the last write that they include. */
  readonly through: number;
}

/** What the files of a store contain. */
export interface Recovered {
  readonly records: ReadonlyMap<string, FoundRecord>;
  readonly places: RecordPlaces;
  readonly segments: readonly Segment[];
  readonly position: LogPosition;
  /** Why a record cannot be served, by id. */
  readonly damaged: ReadonlyMap<string, DamageError>;
  /** Why folders that belong to no record cannot be served, by name. */
  readonly damagedFolders: ReadonlyMap<string, DamageError>;
  /** The names of folders that a person has moved back. */
  readonly restored: readonly string[];
  /** Why the index was rebuilt from the records. */
  readonly indexDamage: DamageError | undefined;
  /** The number of writes that cannot be read and whose records are not known. */
  readonly lostWrites: number;
}

/**
 * Reads index and log of a store. Writes nothing.
 *
 * @throws `store/damaged` when a file of the log is missing
 */
export async function recover(
  data: string,
  files: FileSystem,
  manifest: ManifestContent,
  scheduler: Scheduler,
): Promise<Recovered> {
  const recovery = new Recovery(data, files, manifest, scheduler);
  await recovery.readIndex();
  await recovery.readLog();
  await recovery.compareFolders();
  return recovery;
}

class Recovery implements Recovered {
  readonly #data: string;
  readonly #files: FileSystem;
  readonly #manifest: ManifestContent;
  readonly #scheduler: Scheduler;
  readonly records = new Map<string, FoundRecord>();
  readonly places = new RecordPlaces();
  readonly segments: Segment[] = [];
  position: LogPosition;
  readonly damaged = new Map<string, DamageError>();
  readonly damagedFolders = new Map<string, DamageError>();
  readonly restored: string[] = [];
  indexDamage: DamageError | undefined;
  lostWrites = 0;
  /** The greatest number in the index. */
  #number = 0;

  constructor(data: string, files: FileSystem, manifest: ManifestContent, scheduler: Scheduler) {
    this.#data = data;
    this.#files = files;
    this.#manifest = manifest;
    this.#scheduler = scheduler;
    this.position = manifest.compacted;
  }

  async readIndex(): Promise<void> {
    try {
      const entries = await readIndex(this.#data, this.#files, this.#manifest, this.#scheduler);
      await inSlices(entries, this.#scheduler, ([id, { writes, firstWrite, ...found }]) =>
        this.#addCompacted(id, { writes, firstWrite }, found),
      );
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      this.indexDamage = error;
      await this.#readRecords();
    }
  }

  async readLog(): Promise<void> {
    const folder = join(this.#data, 'log');
    for (const info of this.#manifest.segments) {
      const bytes = await this.#readSegmentFile(join(folder, info.name));
      const { lines, lost, end } = await readSegment(bytes, info, this.#scheduler);
      const segment = new Segment(folder, this.#files, { ...info, end });
      const gaps = [...lost];
      await inSlices(lines, this.#scheduler, (line) => {
        while (gaps.length > 0 && gaps[0]!.first <= line.position.number) this.#lose(gaps.shift()!);
        this.#replay(segment, line);
      });
      for (const gap of gaps) this.#lose(gap);
      this.segments.push(segment);
      this.position = end.position;
    }
    for (const id of this.damaged.keys()) this.records.delete(id);
    // The number of a record that was moved back is in no line of the log.
    const number = Math.max(this.position.number, this.#number);
    this.position = { ...this.position, number };
  }

  /** Looks for folders that are missing, and for folders that belong to no record. */
  async compareFolders(): Promise<void> {
    const names = new Set(await listIfExists(join(this.#data, 'records'), this.#files));
    let expected = 0;
    await inSlices(this.places.entries(), this.#scheduler, ([, { compacted }]) => {
      if (compacted > 0) expected += 1;
    });
    if (names.size === expected && this.damaged.size === 0) return;
    const known = new Set<string>();
    await inSlices(this.places.entries(), this.#scheduler, ([id, { compacted, writes }]) => {
      const name = folderNameOf(id);
      known.add(name);
      if (!names.has(name)) {
        if (compacted > 0) this.#setDamaged(id, new DamageError('Its folder is missing.'));
      } else if (writes[0]?.isDeletion !== true) names.delete(name);
    });
    for (const [count, name] of [...names].entries()) {
      if (count % foldersPerSlice === foldersPerSlice - 1) await this.#scheduler.yield();
      await this.#inspectFolder(name, known.has(name));
    }
  }

  async #inspectFolder(name: string, isKnown: boolean): Promise<void> {
    const folder = join(this.#data, 'records', name);
    const found = await this.#list(folder);
    if (found === undefined) return;
    if (found.includes('damage.json') || (!isKnown && found.includes('record.json')))
      this.restored.push(name);
    else if (!isKnown && found.length > 0)
      this.damagedFolders.set(name, new DamageError('Its file record.json is missing.'));
  }

  /** Without an index, all records are read. */
  async #readRecords(): Promise<void> {
    const records = join(this.#data, 'records');
    for (const [count, name] of (await listIfExists(records, this.#files)).entries()) {
      if (count % foldersPerSlice === foldersPerSlice - 1) await this.#scheduler.yield();
      try {
        const content = await new RecordFile(join(records, name), this.#files, noDraft).read();
        if (content === null) continue;
        const { writes, firstWrite, state } = content;
        const { summary, outbox } = state;
        if (folderNameOf(summary.id) === name)
          this.#addCompacted(
            summary.id,
            { writes, firstWrite },
            {
              summary,
              letters: outbox.size > 0,
              through: writes,
            },
          );
      } catch (error) {
        const damage = toDamageError(error);
        if (damage === undefined) throw error;
        this.damagedFolders.set(name, damage);
      }
    }
  }

  #addCompacted(
    id: string,
    { writes, firstWrite }: Pick<IndexedRecord, 'writes' | 'firstWrite'>,
    found: FoundRecord,
  ): void {
    this.places.putCompacted(id, writes, firstWrite);
    this.#number = Math.max(this.#number, writes, found.through);
    this.records.set(id, found);
  }

  async #readSegmentFile(path: string): Promise<Buffer> {
    try {
      return await this.#files.readFile(path);
    } catch (cause) {
      if (systemCodeOf(cause) !== 'ENOENT') throw cause;
      throw new StoreError(
        'store/damaged',
        `${path} is missing. It has the newest writes of the store, which is not opened without them. Restore the file or a backup. To go on without them, run "dramaturg repair", which says first what is lost.`,
        { cause },
      );
    }
  }

  #lose({ ids, unknown, first }: { ids: readonly string[]; unknown: number; first: number }): void {
    this.lostWrites += unknown;
    const damage = new DamageError(
      `One of its writes in the log cannot be read: number ${first} or a later one.`,
    );
    for (const id of ids) this.#setDamaged(id, damage);
  }

  #setDamaged(id: string, damage: DamageError): void {
    if (!this.damaged.has(id)) this.damaged.set(id, damage);
    this.records.delete(id);
  }

  #replay(segment: Segment, line: LogLine & LineBytes): void {
    const { number, id } = line.position;
    const lines = (line.fields.create ?? line.fields.commit ?? line.fields.acknowledge)?.journal;
    if (line.from !== undefined && lines !== undefined)
      segment.feed.push({ position: number, id, from: line.from, lines: lines.length });
    const place = this.places.get(id);
    if (place !== undefined && number <= place.compacted) return;
    const last = place?.last;
    const { offset, length } = line;
    const write = writeOf(line);
    const isDeletion = write.type === 'delete';
    this.places.add(id, { number, segment, offset, length, isDeletion });
    if (isDeletion) {
      this.records.delete(id);
      this.damaged.delete(id);
      return;
    }
    if (this.damaged.has(id)) return;
    const known = this.records.get(id);
    if (write.type === 'create') {
      if (known === undefined) this.#set(line, firstSummary(write));
      else this.#setDamaged(id, new DamageError('Its creation is in the log twice.'));
    } else if (known === undefined || line.before !== last) {
      this.#setDamaged(id, new DamageError(`Its write ${line.before} is missing.`));
    } else if (number > known.through) this.#set(line, changedSummary(known.summary, write));
  }

  #set({ position, letters }: LogLine, summary: RecordSummary): void {
    this.records.set(position.id, { summary, letters, through: position.number });
  }

  /** Undefined when it is not a folder. */
  async #list(path: string): Promise<readonly string[] | undefined> {
    return (await this.#files.stat(path))?.isFolder === true ? this.#files.list(path) : undefined;
  }
}

/** Folders that are read before other work gets its turn. */
const foldersPerSlice = 64;

function noDraft(): string {
  throw new Error('A record is only read here.');
}
