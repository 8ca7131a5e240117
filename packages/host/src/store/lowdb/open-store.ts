import { join } from 'node:path';
import { checkedName } from '../check.ts';
import type { Change, Committed, NewRecord, Receipt, Store, StoreReader } from '../contract.ts';
import { DamageError } from '../damage-error.ts';
import { damagedRecord, StoreError, systemFailure, unknownRecord } from '../errors.ts';
import type { OwnerLock } from '../owner/owner-lock.ts';
import type { Ownership } from '../ownership.ts';
import {
  acknowledgeWrite,
  commitWrite,
  createWrite,
  type Write,
  type WriteResult,
} from '../write.ts';
import { backUp } from './backup.ts';
import { noteName, restoredId } from './damaged-folder.ts';
import { folderNameOf } from './folder-name.ts';
import { Folding } from './folding.ts';
import type { DeleteWrite } from './journal-line.ts';
import { LowdbReader } from './reader.ts';
import type { LowdbReaderParts } from './reader-parts.ts';
import type { LowdbRecord } from './record.ts';
import { readWhole } from './record-file.ts';
import { toDamageError } from './to-damage-error.ts';

export interface LowdbStoreParts extends LowdbReaderParts {
  readonly lock: OwnerLock;
  readonly journalSize: number;
  readonly indexBytes: number;
  /** Opens a copy of the store for reading. */
  readonly openCopy: (path: string) => Promise<StoreReader>;
}

/** What is done before a store is used. */
export interface Findings {
  /** Records that cannot be served. */
  readonly damaged: ReadonlyMap<string, DamageError>;
  /** Folders whose records are not known, by their names. */
  readonly unreadable: ReadonlyMap<string, DamageError>;
  /** Names of folders that belong to no record. A person may have moved them back. */
  readonly unknown: readonly string[];
  /** The name of a new feed to make from the records; undefined to keep the one of the store. */
  readonly newFeed: string | undefined;
  /** Whether parts of the store were lost. */
  readonly isSalvaged: boolean;
}

/** With more records than this, opening takes seconds: see docs/stores.md. */
const recordsMax = 50_000;

/**
 * An open lowdb store. Owns the journal, the folding and the owner lock.
 *
 * States: open → closing → closed. A closing store finishes its running calls and folds what a second is enough for.
 */
export class OpenLowdbStore extends LowdbReader implements Store {
  protected override readonly parts: LowdbStoreParts;
  /** The owner lock (H6). */
  readonly ownership: Ownership;
  readonly #folding: Folding;
  /** The last of the writes that wait for a shorter journal. */
  #waiting: Promise<void> | undefined;
  #isLarge = false;

  constructor(parts: LowdbStoreParts) {
    super(parts);
    this.parts = parts;
    this.ownership = parts.lock;
    const recordOf = (id: string) => this.use(id);
    this.#folding = new Folding({ ...parts, folder: parts.data, recordOf }, parts.indexBytes);
  }

  /** Sets records aside that cannot be served, and adds those that a person has moved back. */
  async begin({ damaged, unreadable, unknown, newFeed, isSalvaged }: Findings): Promise<void> {
    let hasChanged = isSalvaged || damaged.size > 0;
    for (const name of unknown) if (await this.#restore(name)) hasChanged = true;
    for (const [id, damage] of damaged) await this.setAside(id, damage);
    for (const [name, damage] of unreadable) await this.#moveAside(undefined, name, damage);
    // Otherwise what is lost or restored would be found again.
    if (hasChanged) await this.#folding.fold({ isCleaned: isSalvaged, newFeed });
    this.wasStored();
  }

  /** Called after writes were stored. */
  wasStored(): void {
    this.#folding.stored();
    const { index, path, onError } = this.parts;
    if (this.#isLarge || index.size <= recordsMax) return;
    this.#isLarge = true;
    onError(
      new StoreError(
        'store/large',
        `The store ${path} has more than ${recordsMax} records, and opens slowly. Copy it to a sqlite store: dramaturg copy ${path} <new file>.db`,
      ),
    );
  }

  async create(record: NewRecord): Promise<Committed> {
    return (await this.#write(createWrite(record))).committed;
  }

  async commit(change: Change): Promise<Committed> {
    return (await this.#write(commitWrite(change))).committed;
  }

  async acknowledge(receipt: Receipt): Promise<Committed | undefined> {
    const { isNew, committed } = await this.#write(acknowledgeWrite(receipt));
    return isNew ? committed : undefined;
  }

  async delete(id: string): Promise<boolean> {
    const { damaged, index, journal } = this.parts;
    this.checkOpen();
    journal.check();
    try {
      if (damaged.get(checkedName(id, 'id')) === undefined)
        return index.has(id) || this.inUse.has(id)
          ? (await this.#write({ type: 'delete', id })).isNew
          : false;
    } catch (error) {
      // It is found damaged now.
      if (damaged.get(id) === undefined) throw error;
    }
    await this.#forget(id);
    await damaged.delete(id);
    return true;
  }

  async compact(): Promise<undefined> {
    this.checkOpen();
    this.parts.journal.check();
    try {
      await this.#folding.fold({ isCleaned: true });
    } catch (error) {
      const reason = await this.parts.journal.reasonOf(error);
      throw systemFailure(`Compacting the store ${this.parts.path}`, reason);
    }
  }

  async backup(target: string): Promise<void> {
    this.checkOpen();
    try {
      await backUp(this.parts, target, (job) => this.exclusive(job));
    } catch (error) {
      throw systemFailure(`Copying the store ${this.parts.path} to ${target}`, error);
    }
  }

  protected override async finish(): Promise<void> {
    const { journal, lock, manifest, path } = this.parts;
    try {
      await this.#waiting;
      await Promise.all(Array.from(this.inUse.values(), (record) => record.whenIdle()));
      if (!journal.isBroken) await this.#folding.close();
      if (!journal.isBroken) {
        const journals = journal.content;
        await manifest.change((content) => ({ ...content, journals, isClosed: true }));
      }
    } catch (error) {
      throw systemFailure(`Closing the store ${path}`, error);
    } finally {
      await journal.close();
      await lock.release();
    }
  }

  protected override exclusive<Value>(job: () => Promise<Value>): Promise<Value> {
    return this.#folding.exclusive(job);
  }

  protected override async setAside(id: string, damage: DamageError): Promise<StoreError> {
    const { places, journal, lock, index, damaged, onError } = this.parts;
    const reason = await journal.reasonOf(damage);
    if (reason instanceof StoreError && reason.code === 'store/lost') {
      lock.lose(reason);
      return reason;
    }
    index.remove(id);
    this.inUse.delete(id);
    const lines: string[] = [];
    for (const { file, offset, length } of places.get(id)?.writes ?? [])
      lines.push((await file.read(offset, length)).toString());
    await this.#moveAside(id, folderNameOf(id), damage, lines);
    // From here on, the journal ignores the writes of the record.
    await this.#forget(id).catch((error: unknown) =>
      onError(systemFailure(`Setting the record "${id}" aside`, error)),
    );
    const found = damaged.get(id)!;
    return damagedRecord(id, found.reason, found.where);
  }

  /** Stores that a damaged record is deleted. */
  async #forget(id: string): Promise<void> {
    const { places, journal } = this.parts;
    const place = places.get(id);
    if (place === undefined || place.firstWrite === Infinity) return;
    const entry = { write: { type: 'delete', id }, summary: undefined, letters: false } as const;
    await journal.append([entry], 'order');
  }

  async #moveAside(
    id: string | undefined,
    name: string,
    damage: DamageError,
    lines: readonly string[] = [],
  ): Promise<void> {
    const { damaged, data, onError } = this.parts;
    const records = join(data, 'records');
    try {
      await damaged.setAside(records, { id, name, damage, lines });
    } catch (error) {
      const where = join(records, name);
      const note = id === undefined ? {} : { id };
      damaged.note(name, { ...note, reason: damage.message, where });
      onError(systemFailure(`Setting aside ${where}`, error));
    }
  }

  /**
   * Adds a record whose folder a person has repaired and moved back.
   *
   * @returns false for a folder without the note of a damaged record
   */
  async #restore(name: string): Promise<boolean> {
    const { data, files } = this.parts;
    const path = join(data, 'records', name);
    if ((await files.stat(join(path, noteName))) === undefined) return false;
    try {
      const id = await restoredId(path, files);
      if (id === undefined || folderNameOf(id) !== name)
        throw new DamageError('The name of its folder does not belong to its id.');
      const record = await readWhole(path, id, files);
      await this.use(id).write(createWrite(record));
    } catch (error) {
      const damage = toDamageError(error);
      if (damage === undefined) throw error;
      await this.#moveAside(undefined, name, damage);
    }
    return true;
  }

  async #write(write: Write | DeleteWrite): Promise<WriteResult> {
    const record = this.find(write.id) ?? this.#recordToCreate(write);
    this.parts.journal.check();
    if (this.#waiting === undefined && this.#folding.hasRoom) return record.write(write);
    // Writes wait one after another, so that they keep their order.
    const turn = (this.#waiting ?? Promise.resolve()).then(() => this.#folding.room());
    this.#waiting = turn;
    await turn;
    if (this.#waiting === turn) this.#waiting = undefined;
    return this.use(write.id).write(write);
  }

  #recordToCreate({ type, id }: Write | DeleteWrite): LowdbRecord {
    if (type !== 'create') throw unknownRecord(id);
    return this.use(id);
  }
}
