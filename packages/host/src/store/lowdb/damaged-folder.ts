import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DamagedRecord } from '../contract.ts';
import type { Disk } from '../disk/disk.ts';
import type { StoreError } from '../errors.ts';
import { systemFailure } from '../errors.ts';
import type { DamageError } from '../damage-error.ts';
import { folderNameOf } from './folder-name.ts';

/** The file in a damaged folder that contains the reason. */
const noteName = 'damage.json';

/**
 * The folder of damaged records. Owns their folders, which are unchanged except for an added note. To restore a record,
 * a person repairs its folder and moves it back; it is read again when the store is opened.
 */
export class DamagedFolder {
  readonly #path: string;
  readonly #disk: Disk;
  /** By folder name, which is known even when the id cannot be read. */
  readonly #records = new Map<string, DamagedRecord>();

  constructor(path: string, disk: Disk) {
    this.#path = path;
    this.#disk = disk;
    for (const name of readdirSync(path)) {
      const where = join(path, name);
      this.#records.set(name, { ...readNote(join(where, noteName)), where });
    }
  }

  get(id: string): DamagedRecord | undefined {
    return this.#records.size === 0 ? undefined : this.#records.get(folderNameOf(id));
  }

  all(): DamagedRecord[] {
    return Array.from(this.#records.values(), (record) => ({ ...record }));
  }

  /** @returns the damaged record, and the error if its folder could not be moved; in both cases it is not served */
  async setAside(
    folder: string,
    name: string,
    { message: reason }: DamageError,
    id: string | undefined,
  ): Promise<{ record: DamagedRecord; error?: StoreError }> {
    const note = { ...(id === undefined ? {} : { id }), reason };
    const where = join(this.#path, this.#freeName(name));
    try {
      await this.#disk.replace(
        join(folder, noteName),
        `${JSON.stringify(note, null, 2)}\n`,
        'damaged.note',
      );
      this.#disk.move(folder, where, 'damaged.move');
      const record = { ...note, where };
      this.#records.set(name, record);
      return { record };
    } catch (error) {
      const record = { ...note, where: folder };
      this.#records.set(name, record);
      return { record, error: systemFailure(`Setting aside ${folder}`, error) };
    }
  }

  /**
   * Adds a number when the name exists: a person may have repaired a copy. Record folders have no dot in their names.
   */
  #freeName(name: string): string {
    const used = new Set(readdirSync(this.#path));
    let free = name;
    for (let number = 2; used.has(free); number += 1) free = `${name}.${number}`;
    return free;
  }
}

function readNote(path: string): Omit<DamagedRecord, 'where'> {
  try {
    const { id, reason } = JSON.parse(readFileSync(path, 'utf8')) as Partial<DamagedRecord>;
    return {
      ...(typeof id === 'string' ? { id } : {}),
      reason: typeof reason === 'string' ? reason : unknownReason,
    };
  } catch {
    return { reason: unknownReason };
  }
}

const unknownReason = 'The note with the reason cannot be read.';
