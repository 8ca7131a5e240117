import { join } from 'node:path';
import type { DamagedRecord } from '../contract.ts';
import { DamageError } from '../damage-error.ts';
import { type FileSystem, listIfExists } from '../disk/file-system.ts';
import type { AnyWrite } from '../records.ts';
import { CheckedFile, type Format, readThrough, writeThrough } from './checked-file.ts';
import { fileNameOf } from './record-file.ts';

/** A record that cannot be served. */
export interface Damage {
  /** The name of its file, without the ending. */
  readonly name: string;
  /** Absent when it cannot be read. */
  readonly id?: string;
  readonly reason: string;
  /** Its readable writes in the journal. */
  readonly writes: readonly AnyWrite[];
}

type Note = Omit<Damage, 'name'>;

const noteFormat: Format<Note> = {
  toParts: (note) => [JSON.stringify(note, null, 2)],
  fromFields: (fields) => fields as Note,
};
const noteEnding = '.damage.json';

/**
 * The folder of damaged records. Owns their files, which are unchanged, and a note next to each. To restore a record, a person repairs
 * its file and moves it back; it is read again when the store is opened.
 */
export class DamagedRecords {
  readonly #data: string;
  readonly #files: FileSystem;
  readonly #draft: () => string;
  /** Damaged records by the name of their file. */
  readonly #records = new Map<string, DamagedRecord>();

  /** @param data the data folder of the store */
  constructor(data: string, files: FileSystem, draft: () => string) {
    this.#data = data;
    this.#files = files;
    this.#draft = draft;
  }

  async load(): Promise<void> {
    const names = await listIfExists(join(this.#data, 'damaged'), this.#files);
    for (const noteName of names.toSorted()) {
      if (!noteName.endsWith(noteEnding)) continue;
      const name = noteName.slice(0, -noteEnding.length);
      this.#note(name, await this.#readNote(noteName));
    }
  }

  get(id: string): DamagedRecord | undefined {
    return this.#records.size === 0 ? undefined : this.#records.get(fileNameOf(id));
  }

  all(): DamagedRecord[] {
    return Array.from(this.#records.values(), (record) => ({ ...record }));
  }

  /** Adds a record without moving its file, because nothing may be written. */
  add(name: string, record: DamagedRecord): void {
    this.#records.set(name, record);
  }

  /** Moves the file of a record here, if there is one. */
  async setAside({ name, id = this.#records.get(name)?.id, ...damage }: Damage): Promise<void> {
    const note = { ...(id === undefined ? {} : { id }), ...damage };
    const [records, damaged] = ['records', 'damaged'].map((folder) => join(this.#data, folder));
    const file = join(records!, `${name}.json`);
    if ((await this.#files.stat(file)) !== undefined)
      await this.#files.rename(file, join(damaged!, `${name}.json`));
    await this.#files.flushFolder(records!);
    const path = join(damaged!, `${name}${noteEnding}`);
    await writeThrough(new CheckedFile(path, this.#files, noteFormat, this.#draft()), note);
    await this.#files.flushFolder(damaged!);
    this.#note(name, note);
  }

  /** Removes a record. */
  async delete(id: string): Promise<void> {
    await this.#files.remove(join(this.#data, 'damaged', `${fileNameOf(id)}.json`));
    await this.removeNote(id);
  }

  /** Forgets a record whose file was moved back. */
  async removeNote(id: string): Promise<void> {
    const damaged = join(this.#data, 'damaged');
    await this.#files.remove(join(damaged, `${fileNameOf(id)}${noteEnding}`));
    await this.#files.flushFolder(damaged);
    this.forget(id);
  }

  forget(id: string): void {
    this.#records.delete(fileNameOf(id));
  }

  #note(name: string, { id, reason }: Note): void {
    const where = join(this.#data, 'damaged', `${name}.json`);
    this.#records.set(name, { ...(id === undefined ? {} : { id }), reason, where });
  }

  async #readNote(name: string): Promise<Note> {
    const file = new CheckedFile(join(this.#data, 'damaged', name), this.#files, noteFormat);
    try {
      const note = await readThrough(file);
      if (note !== undefined) return note;
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
    }
    return { reason: 'The note with the reason cannot be read.', writes: [] };
  }
}
