import { join } from 'node:path';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, listIfExists, readIfExists } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { accepts, type AnyWrite, HeldRecord } from '../records.ts';
import { pacer } from '../slices.ts';
import { CheckedFile, readThrough } from './checked-file.ts';
import type { Damage, DamagedRecords } from './damaged-records.ts';
import {
  type FoundLine,
  type LastWrite,
  markName,
  numberOfMark,
  readableLines,
  sumOfId,
} from './journal.ts';
import type { Manifest } from './layout.ts';
import type { RecordFile } from './reader.ts';
import { fileNameOf, recordFormat } from './record-file.ts';

/** The content of a store's files. */
export interface Recovered {
  readonly records: ReadonlyMap<string, HeldRecord>;
  readonly last: LastWrite;
  /** The lines of the journal that belong to the store. */
  readonly lines: readonly Buffer[];
  /** The files of records, by their ids. */
  readonly recordFiles: Map<string, RecordFile>;
  /** Damaged records that are not set aside yet. */
  readonly damaged: readonly Damage[];
  /** Records that were set aside and whose file a person has moved back. */
  readonly movedBack: ReadonlySet<string>;
  /** The number of lost writes with unknown records. */
  readonly lost: number;
}

export interface RecoveryParts {
  /** The data folder. */
  readonly data: string;
  readonly files: FileSystem;
  readonly scheduler: Pick<Scheduler, 'yield'>;
  readonly damaged: DamagedRecords;
  /** Whether the manifest was lost and replaced: the journal then begins at its first line. */
  readonly isManifestLost?: boolean;
}

/**
 * Reads all records and the journal. Writes nothing.
 *
 * The mark, the manifest, the file of a record or a later line prove that the device had a write. If such a write cannot be read,
 * it is lost, and its record is damaged. Other unreadable lines were not acknowledged: the journal ends before them.
 *
 * @param journal its bytes; when the manifest is lost, the bytes of several files together
 */
export async function recover(
  parts: RecoveryParts,
  manifest: Manifest,
  journal: readonly Buffer[],
): Promise<Recovered> {
  const { data, files, scheduler } = parts;
  const recovery = new Recovery(parts.damaged);
  await recovery.readFiles(parts, manifest);
  const lines: FoundLine[] = [];
  for (const bytes of journal)
    for (const line of await readableLines(bytes, scheduler)) lines.push(line);
  lines.sort((one, other) => one.number - other.number);
  const durable = [
    manifest.folded,
    numberOfMark(await readIfExists(join(data, markName), files)),
    ...Array.from(recovery.recordFiles.values(), ({ lastWrite }) => lastWrite),
    ...lines.map(({ flushed }) => flushed),
  ].reduce((most, number) => Math.max(most, number), 0);
  const folded =
    parts.isManifestLost === true ? (lines[0]?.number ?? durable + 1) - 1 : manifest.folded;
  return recovery.replay(lines, folded, durable, scheduler);
}

class Recovery {
  readonly recordFiles = new Map<string, RecordFile>();
  readonly #records = new Map<string, HeldRecord>();
  readonly #setAside: DamagedRecords;
  readonly #damaged = new Map<string, Damage & { readonly writes: AnyWrite[] }>();
  /** The reasons why files cannot be read, by their names without the ending. */
  readonly #unreadable = new Map<string, string>();
  readonly #movedBack = new Set<string>();

  constructor(setAside: DamagedRecords) {
    this.#setAside = setAside;
  }

  async readFiles(
    { data, files, scheduler }: RecoveryParts,
    { records: listed }: Manifest,
  ): Promise<void> {
    const pace = pacer(scheduler);
    for (const fileName of await listIfExists(join(data, 'records'), files)) {
      if (!fileName.endsWith('.json')) continue;
      const name = fileName.slice(0, -'.json'.length);
      const path = join(data, 'records', fileName);
      const file = new CheckedFile(path, files, recordFormat, '', scheduler);
      try {
        const record = await readThrough(file);
        if (record !== undefined) this.#addRecord(name, file.bytes, record, listed);
      } catch (error) {
        if (!(error instanceof DamageError)) throw error;
        this.#unreadable.set(name, error.message);
      }
      await pace(file.bytes);
    }
    for (const id of listed.keys())
      if (!this.#records.has(id)) {
        const name = fileNameOf(id);
        this.#damage(id, this.#unreadable.get(name) ?? `Its file ${name}.json is missing.`);
      }
  }

  async replay(
    lines: readonly FoundLine[],
    folded: number,
    durable: number,
    scheduler: Pick<Scheduler, 'yield'>,
  ): Promise<Recovered> {
    const ids = new Map(lines.map(({ write }) => [sumOfId(write), write.id]));
    const setAside = this.#setAside.all().flatMap(({ id }) => id ?? []);
    for (const id of [...this.#records.keys(), ...this.#damaged.keys(), ...setAside])
      ids.set(sumOfId({ id }), id);
    const kept: Buffer[] = [];
    let last: LastWrite = { number: folded, sum: '' };
    let lost = 0;
    const pace = pacer(scheduler);
    for (const line of lines) {
      const missing = line.number - last.number - 1;
      if (missing < 0) continue;
      if (missing > 0 && line.number - 1 > durable) break;
      const known = missing > 0 ? ids.get(line.previous) : undefined;
      // The file of the record may include the write.
      if (known !== undefined && (this.#records.get(known)?.lastWrite ?? 0) < line.number - 1)
        this.#damage(known, `Its write ${line.number - 1} in the journal cannot be read.`);
      lost += known === undefined ? missing : missing - 1;
      this.#replay(line);
      kept.push(line.bytes);
      last = { number: line.number, sum: sumOfId(line.write) };
      await pace(line.bytes.length);
    }
    if (durable > last.number) {
      lost += durable - last.number;
      last = { number: durable, sum: '' };
    }
    if (this.#unreadable.size > 0)
      for (const id of [...this.#records.keys(), ...this.#damaged.keys()])
        this.#unreadable.delete(fileNameOf(id));
    const unknown = Array.from(this.#unreadable, ([name, reason]) => ({
      name,
      reason,
      writes: [],
    }));
    return {
      records: this.#records,
      last,
      lines: kept,
      recordFiles: this.recordFiles,
      damaged: [...this.#damaged.values(), ...unknown],
      movedBack: this.#movedBack,
      lost,
    };
  }

  /** @throws `DamageError` */
  #addRecord(name: string, bytes: number, record: HeldRecord, listed: Manifest['records']): void {
    const { summary, lastWrite } = record;
    const { id } = summary;
    if (name !== fileNameOf(id))
      throw new DamageError(`Its file ${name}.json is of another record.`);
    if (lastWrite < (listed.get(id) ?? 0))
      throw new DamageError(`Its file ${name}.json was replaced by an older one.`);
    this.#records.set(id, record);
    this.recordFiles.set(id, { lastWrite, bytes });
    if (this.#setAside.get(id) !== undefined) this.#movedBack.add(id);
  }

  #replay({ number, write }: FoundLine): void {
    const { id } = write;
    if (this.#isSetAside(id)) return;
    const record = this.#records.get(id);
    if (record !== undefined && number <= record.lastWrite) return;
    if (write.type === 'delete') {
      this.#records.delete(id);
      this.#damaged.delete(id);
      // The rest of its file is removed when the journal is folded.
      if (this.#unreadable.delete(fileNameOf(id)))
        this.recordFiles.set(id, { lastWrite: 0, bytes: 0 });
      return;
    }
    const damage = this.#damaged.get(id);
    if (damage !== undefined) {
      damage.writes.push(write);
      return;
    }
    try {
      if (!accepts(record, write)) throw new DamageError('It was stored before.');
      if (write.type !== 'create') record!.store(write, number);
      else this.#records.set(id, new HeldRecord(write, number));
    } catch {
      this.#damage(id, `Its write ${number} in the journal contradicts those before it.`);
    }
  }

  #isSetAside(id: string): boolean {
    return this.#setAside.get(id) !== undefined && !this.#movedBack.has(id);
  }

  #damage(id: string, reason: string): void {
    if (this.#isSetAside(id)) return;
    this.#records.delete(id);
    if (this.#damaged.has(id)) return;
    this.#damaged.set(id, { name: fileNameOf(id), id, reason, writes: [] });
  }
}
