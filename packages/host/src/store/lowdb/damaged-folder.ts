import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DamagedRecord } from '../contract.ts';
import type { Disk } from '../disk/disk.ts';
import type { StoreError } from '../errors.ts';
import { systemFailure } from '../errors.ts';
import type { DamageError } from '../damage-error.ts';
import { folderNameOf } from './folder-name.ts';

/** Says in a folder that was set aside why it was. */
const noteName = 'damage.json';

/**
 * Where the folders of damaged records are set aside, unchanged but for a note. A person mends a folder or throws it
 * away: one that is moved back to its place is read again when the store is opened.
 */
export class DamagedFolder {
  readonly #path: string;
  readonly #disk: Disk;
  /** By the name of the folder, which is known also where the id cannot be read. */
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

  /** @returns the record as it is set aside, with why it could not be moved, if so: it is not served in any case */
  async setAside(
    folder: string,
    name: string,
    { message: reason }: DamageError,
    id: string | undefined,
  ): Promise<{ record: DamagedRecord; trouble?: StoreError }> {
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
      return { record, trouble: systemFailure(`Setting aside ${folder}`, error) };
    }
  }

  /** A person may have mended a copy and left the first one here. Names of records have no dot. */
  #freeName(name: string): string {
    const taken = new Set(readdirSync(this.#path));
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}.${number}`;
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

const unknownReason = 'It was set aside, and its note cannot be read.';
