import { join } from 'node:path';
import { checkedName } from '../check.ts';
import type { Change, Committed, NewRecord, Receipt, Store } from '../contract.ts';
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
import { DamageError } from '../damage-error.ts';
import { backUp } from './backup.ts';
import { Compaction } from './compaction.ts';
import { noteName, restoredId } from './damaged-folder.ts';
import { folderNameOf } from './folder-name.ts';
import { type IndexedRecord, IndexFile } from './index-file.ts';
import type { DeleteWrite } from './log/line.ts';
import { manifestName } from './manifest.ts';
import type { RecordPlace } from './record-places.ts';
import { LowdbReader } from './reader.ts';
import type { LowdbReaderParts } from './reader-parts.ts';
import { hasLetters, RecordFolder, savedLogName } from './record-folder.ts';
import type { RecordInUse } from './record-in-use.ts';
import type { Recovered } from './recovery.ts';
import { reasonOf } from './still-owned.ts';
import { toDamageError } from './to-damage-error.ts';

export interface LowdbStoreParts extends LowdbReaderParts {
  readonly lock: OwnerLock;
}

/** With more records than this, opening takes seconds: see docs/stores.md. */
const recordsMax = 50_000;

/**
 * An open lowdb store. Owns the log, the compaction and the owner lock.
 *
 * States: open → closing → closed. A closing store finishes its running calls and compacts what a second is enough for.
 */
export class OpenLowdbStore extends LowdbReader implements Store {
  protected override readonly parts: LowdbStoreParts;
  /** The owner lock (H6). */
  readonly ownership: Ownership;
  readonly #compaction: Compaction;
  /** The last of the writes that wait for a shorter log. */
  #waiting: Promise<void> | undefined;
  #isLarge = false;

  constructor(parts: LowdbStoreParts) {
    super(parts);
    this.parts = parts;
    this.ownership = parts.lock;
    const { log, index, manifest, data, files, scheduler, onError } = parts;
    const secure = async () => {
      await log.flush();
      await files.flushFolder(join(data, 'records'));
    };
    this.#compaction = new Compaction({
      log,
      feed: parts.feed,
      indexFile: new IndexFile({ folder: data, files, manifest, scheduler, secure }),
      scheduler,
      onError,
      isWorthCompacting: (id) => isWorthCompacting(parts.places.get(id)),
      compactRecord: (id) => this.#compactRecord(id),
      entryOf: (id) => this.#entryOf(id),
      entries: () => this.#entries(),
      countRecords: () => index.size,
    });
  }

  /** Sets records aside that cannot be served, and adds those that a person has moved back. */
  async repair(
    { damaged, damagedFolders, restored, indexDamage }: Recovered,
    randomId: () => string,
  ): Promise<void> {
    for (const name of restored) await this.#restore(name);
    for (const [id, damage] of damaged) await this.setAside(id, damage);
    for (const [name, damage] of damagedFolders) await this.#moveAside(undefined, name, damage);
    if (indexDamage !== undefined) {
      const count = `It listed ${this.parts.manifest.content.records} records; now it lists ${this.parts.index.size}.`;
      const message = `The index of the store ${this.parts.path} was rebuilt from its records. ${indexDamage.message} ${count}`;
      this.parts.onError(new StoreError('store/damaged', message, { cause: indexDamage }));
    }
    const { fence, epoch } = this.parts.folderParts;
    await this.parts.feed.begin(fence === epoch - 1, randomId);
    // A lost owner may still have the index file open.
    if (indexDamage !== undefined || fence === epoch - 1) await this.#compaction.rewriteIndex();
    else await this.#compaction.writeIndex();
    await this.#compaction.start(this.parts.places.uncompacted());
    this.#warnIfLarge();
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
    const { damaged, index, log } = this.parts;
    this.checkOpen();
    log.check();
    try {
      if (damaged.get(checkedName(id, 'id')) === undefined)
        return index.has(id) || this.inUse.has(id)
          ? (await this.#write({ type: 'delete', id })).isNew
          : false;
    } catch (error) {
      // It is found damaged now.
      if (damaged.get(id) === undefined) throw error;
    }
    await damaged.delete(id);
    return true;
  }

  async compact(): Promise<void> {
    this.checkOpen();
    this.parts.log.check();
    try {
      await this.#compaction.compactAll();
    } catch (error) {
      const { path, data, files } = this.parts;
      const reason = await reasonOf(error, join(data, manifestName), files);
      throw systemFailure(`Compacting the store ${path}`, reason);
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
    const { log, lock, manifest, path } = this.parts;
    try {
      await this.#waiting;
      await Promise.all(Array.from(this.inUse.values(), (record) => record.whenIdle()));
      await this.#compaction.close(!log.isBroken);
      if (!log.isBroken) {
        const segments = log.content;
        await manifest.change((content) => ({ ...content, segments, isClosed: true }));
      }
    } catch (error) {
      throw systemFailure(`Closing the store ${path}`, error);
    } finally {
      await log.close();
      await lock.release();
    }
  }

  protected override exclusive<Value>(job: () => Promise<Value>): Promise<Value> {
    return this.#compaction.exclusive(job);
  }

  protected override stored({ id, held }: RecordFolder): void {
    const { index } = this.parts;
    if (held === undefined) index.remove(id);
    else index.put(held.summary, hasLetters(held));
    this.#compaction.written(id);
    this.#warnIfLarge();
  }

  protected override async setAside(id: string, damage: DamageError): Promise<StoreError> {
    const { places, log, lock, index, damaged, files, data, onError } = this.parts;
    const reason = await reasonOf(damage, join(data, manifestName), files);
    if (reason instanceof StoreError) {
      lock.lose(reason);
      return reason;
    }
    index.remove(id);
    this.inUse.delete(id);
    const name = folderNameOf(id);
    const lines: string[] = [];
    for (const place of places.get(id)?.writes ?? []) {
      const line = place.isDeletion ? undefined : await place.segment.readText(place);
      if (line !== undefined) lines.push(line);
    }
    await this.#moveAside(id, name, damage, lines);
    // From here on, the log ignores the writes of the record.
    await log.append([{ write: { type: 'delete', id }, letters: false }], 'order').then(
      () => this.#compaction.written(id),
      (error: unknown) => onError(systemFailure(`Setting the record "${id}" aside`, error)),
    );
    const found = damaged.get(id)!;
    return damagedRecord(id, found.reason, found.where);
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

  /** Adds a record whose folder a person has repaired and moved back. */
  async #restore(name: string): Promise<void> {
    const { data, files, index, places, log, folderParts } = this.parts;
    const path = join(data, 'records', name);
    try {
      const id = await restoredId(path, files);
      if (id === undefined || folderNameOf(id) !== name)
        throw new DamageError('The name of its folder does not belong to its id.');
      const folder = new RecordFolder(id, path, folderParts);
      await folder.restore();
      places.setCompacted(id, log.position.number, undefined);
      const number = log.skipNumber();
      await folder.compact(number);
      for (const extra of [noteName, savedLogName]) await files.remove(join(path, extra));
      places.putCompacted(id, number, folder.firstWrite);
      index.put(folder.held!.summary, hasLetters(folder.held!));
      this.#compaction.changed(id);
    } catch (error) {
      const damage = toDamageError(error);
      if (damage === undefined) throw error;
      await this.#moveAside(undefined, name, damage);
    }
  }

  async #write(write: Write | DeleteWrite): Promise<WriteResult> {
    const record = this.find(write.id) ?? this.#recordToCreate(write);
    this.parts.log.check();
    if (this.#waiting === undefined && this.#compaction.hasRoom) return record.write(write);
    // Writes wait one behind the other, so that they keep their order.
    const turn = (this.#waiting ?? Promise.resolve()).then(() => this.#compaction.room());
    this.#waiting = turn;
    await turn;
    if (this.#waiting === turn) this.#waiting = undefined;
    return this.use(write.id).write(write);
  }

  #recordToCreate({ type, id }: Write | DeleteWrite): RecordInUse {
    if (type !== 'create') throw unknownRecord(id);
    return this.use(id);
  }

  async #compactRecord(id: string): Promise<void> {
    try {
      await this.use(id).compact();
    } catch {
      // The record was damaged and has been set aside. Later calls for it reject with `store/damaged`.
    }
  }

  #entryOf(id: string): IndexedRecord | undefined {
    const { index, places } = this.parts;
    const [found, place] = [index.get(id), places.get(id)];
    if (found === undefined || place === undefined || place.compacted === 0) return undefined;
    return { ...found, writes: place.compacted, through: place.last, firstWrite: place.firstWrite };
  }

  *#entries(): Iterable<readonly [string, IndexedRecord]> {
    for (const id of Array.from(this.parts.index.ids())) {
      const entry = this.#entryOf(id);
      if (entry !== undefined) yield [id, entry];
    }
  }

  #warnIfLarge(): void {
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
}

/** Compacting a record writes `record.json` anew. The log may have this share of its length before that is worth it. */
const logShareMax = 0.25;

/** Whether a quiet record has so many bytes in the log that its file, which may be large, is written anew. */
function isWorthCompacting(place: RecordPlace | undefined): boolean {
  const { fileBytes = 0, writes = [] } = place ?? {};
  return writes.reduce((sum, { length }) => sum + length, 0) >= fileBytes * logShareMax;
}
