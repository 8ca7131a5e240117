import { join } from 'node:path';
import type { DamagedRecord } from '../contract.ts';
import { type FileSystem, listIfExists } from '../disk/file-system.ts';
import { replaceFile } from '../disk/replace-file.ts';
import type { DamageError } from '../damage-error.ts';
import { systemCodeOf } from '../errors.ts';
import { folderNameOf } from './folder-name.ts';
import { recordFileName } from './record-file.ts';

/** The file in a damaged folder with its writes that were only in the journal. */
const savedLinesName = 'journal.jsonl';

/** The file in a damaged folder that contains the reason. */
export const noteName = 'damage.json';

export interface SetAside {
  /** The id, if it is known. */
  readonly id: string | undefined;
  /** The name of its folder. */
  readonly name: string;
  readonly damage: DamageError;
  /** The lines of its writes that are only in the journal and can be read. */
  readonly lines: readonly string[];
}

/**
 * The folder of damaged records. Owns their folders, which are unchanged except for an added note and its writes from the
 * journal. To restore a record, a person repairs its folder and moves it back; it is read again when the store is opened.
 */
export class DamagedFolder {
  readonly #path: string;
  readonly #files: FileSystem;
  readonly #draft: () => string;
  /** By the name of the folder in `damaged`. */
  readonly #records = new Map<string, DamagedRecord>();

  /** @param data the data folder of the store */
  constructor(data: string, files: FileSystem, draft: () => string) {
    this.#path = join(data, 'damaged');
    this.#files = files;
    this.#draft = draft;
  }

  async load(): Promise<void> {
    for (const name of (await listIfExists(this.#path, this.#files)).toSorted()) {
      const where = join(this.#path, name);
      this.#records.set(name, { ...(await this.#readNote(join(where, noteName))), where });
    }
  }

  get(id: string): DamagedRecord | undefined {
    if (this.#records.size === 0) return undefined;
    return this.#records.get(folderNameOf(id));
  }

  all(): DamagedRecord[] {
    return Array.from(this.#records.values(), (record) => ({ ...record }));
  }

  /** Adds a record that stays where it is, because nothing may be written. */
  note(name: string, record: DamagedRecord): DamagedRecord {
    this.#records.set(name, record);
    return record;
  }

  /** Moves the folder of a record here. */
  async setAside(records: string, { id, name, damage, lines }: SetAside): Promise<DamagedRecord> {
    const note = { ...(id === undefined ? {} : { id }), reason: damage.message };
    const folder = join(records, name);
    const where = join(this.#path, await this.#freeName(name));
    await this.#files.makeFolder(folder);
    const files: [string, string][] = [[noteName, `${JSON.stringify(note, null, 2)}\n`]];
    if (lines.length > 0) files.push([savedLinesName, `${lines.join('\n')}\n`]);
    for (const [fileName, text] of files)
      await replaceFile(this.#files, this.#draft(), join(folder, fileName), [text]);
    await this.#files.rename(folder, where);
    await this.#files.flushFolder(this.#path);
    await this.#files.flushFolder(records);
    return this.note(name, { ...note, where });
  }

  /** Deletes a damaged record with all its copies. */
  async delete(id: string): Promise<void> {
    const name = folderNameOf(id);
    const isCopy = (other: string) => other === name || other.startsWith(`${name}.`);
    for (const found of (await this.#files.list(this.#path)).filter(isCopy)) {
      await this.#files.remove(join(this.#path, found));
      this.#records.delete(found);
    }
    this.#records.delete(name);
    await this.#files.flushFolder(this.#path);
  }

  /** Adds a number when the name exists: a person may have repaired a copy. Record folders have no dot in their names. */
  async #freeName(name: string): Promise<string> {
    const used = new Set(await this.#files.list(this.#path));
    let free = name;
    for (let number = 2; used.has(free); number += 1) free = `${name}.${number}`;
    return free;
  }

  async #readNote(path: string): Promise<Omit<DamagedRecord, 'where'>> {
    try {
      const { id, reason } = JSON.parse((await this.#files.readFile(path)).toString());
      return {
        ...(typeof id === 'string' ? { id } : {}),
        reason: typeof reason === 'string' ? reason : unknownReason,
      };
    } catch {
      return { reason: unknownReason };
    }
  }
}

const unknownReason = 'The note with the reason cannot be read.';

/** The id of a record whose folder a person has moved back; undefined when it cannot be read. */
export async function restoredId(folder: string, files: FileSystem): Promise<string | undefined> {
  for (const name of [noteName, recordFileName]) {
    try {
      const { id } = JSON.parse((await files.readFile(join(folder, name))).toString());
      if (typeof id === 'string') return id;
    } catch (error) {
      // Neither a missing file nor one that is not JSON has an id.
      if (!(error instanceof SyntaxError) && systemCodeOf(error) !== 'ENOENT') throw error;
    }
  }
  return undefined;
}
