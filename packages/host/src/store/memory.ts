import { checkedName } from './check.ts';
import { CheckedReader } from './checked-reader.ts';
import type {
  Change,
  Committed,
  DamagedRecord,
  NewRecord,
  Receipt,
  Store,
  StoreLocation,
  StoreReader,
  Verification,
} from './contract.ts';
import { badRequest, StoreError } from './errors.ts';
import { accepts, type AnyWrite, Records } from './records.ts';
import { SoleOwnership } from './ownership.ts';
import { acknowledgeWrite, commitWrite, createWrite } from './write.ts';

/**
 * Creates a store in the memory of this process, for tests and throw-away data. The records survive closing and
 * reopening the store, and are lost when the process ends.
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * const { id } = await host.start('intake', { contact: 'ada' });
 * console.log((await host.get(id)).definition.name); // → intake
 * await host.stop();
 * ```
 */
export function memoryStore(): StoreLocation {
  const records = new Records(crypto.randomUUID());
  let owner: string | undefined;
  const requireFree = () => {
    if (owner === undefined) return;
    throw new StoreError('store/owned', `The store in memory is in use by "${owner}".`);
  };
  return {
    read: async (): Promise<StoreReader> => {
      requireFree();
      return new MemoryStore(records, () => {});
    },
    open: async (name) => {
      const newOwner = checkedName(name, 'owner');
      requireFree();
      owner = newOwner;
      return new MemoryStore(records, () => {
        owner = undefined;
      });
    },
  };
}

class MemoryStore extends CheckedReader implements Store {
  protected override readonly records: Records;
  readonly #release: () => void;
  readonly ownership = new SoleOwnership();

  constructor(records: Records, release: () => void) {
    super();
    this.records = records;
    this.#release = release;
  }

  async create(record: NewRecord): Promise<Committed> {
    return this.#write(createWrite(record))!;
  }

  async commit(change: Change): Promise<Committed> {
    return this.#write(commitWrite(change))!;
  }

  async acknowledge(receipt: Receipt): Promise<Committed | undefined> {
    return this.#write(acknowledgeWrite(receipt));
  }

  async delete(id: string): Promise<boolean> {
    return this.#write({ type: 'delete', id: checkedName(id, 'id') }) !== undefined;
  }

  async damaged(): Promise<readonly DamagedRecord[]> {
    this.checkOpen();
    return [];
  }

  /** Does nothing: a deleted record leaves the memory immediately. */
  async compact(): Promise<undefined> {
    this.checkOpen();
  }

  async backup(): Promise<void> {
    this.checkOpen();
    throw badRequest('A store in memory cannot be backed up. Use lowdbStore or sqliteStore.');
  }

  /** The length of all strings, as an estimate. */
  async size(): Promise<number> {
    this.checkOpen();
    let size = 0;
    for (const { snapshot, parts, outbox, lines } of this.records.all())
      for (const texts of [[snapshot], parts.values(), outbox.values(), ...Object.values(lines)])
        for (const text of texts) size += text.length;
    return size;
  }

  /** Memory has no checksums: it does not outlive the process. */
  async verify(): Promise<Verification> {
    this.checkOpen();
    let lines = 0;
    for (const { summary } of this.records.all())
      lines += summary.journalLength + summary.transcriptLength;
    return { records: this.records.size, lines, damaged: [] };
  }

  protected override async closeNow(): Promise<void> {
    this.#release();
    this.ownership.close();
  }

  /** @returns undefined when the write is stored already */
  #write(write: AnyWrite): Committed | undefined {
    this.checkOpen();
    if (!accepts(this.records.get(write.id), write)) return undefined;
    return this.records.store(write);
  }
}
