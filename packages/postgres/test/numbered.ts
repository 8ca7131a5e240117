import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import type { Json } from '@dramaturg/compiler';
import type { Store } from '@dramaturg/host';
import { Chance } from '@dramaturg/testing';

const partKeys = ['a', 'b', 'c', 'd', 'e'];

/**
 * A writer that adds numbered lines to one record and changes its parts at random. Checks afterwards that each line is there once, in
 * order, and that the parts are those of the last answered write.
 */
export class NumberedWriter {
  readonly id: string;
  /** The lines whose write was answered. */
  stored = 0;
  readonly #store: Store;
  readonly #chance: Chance;
  /** The parts after the last answered write. */
  #parts: ReadonlyMap<string, Json> = new Map();

  private constructor(store: Store, id: string) {
    this.#store = store;
    this.id = id;
    this.#chance = new Chance(crc32(id));
  }

  static async create(store: Store, id: string): Promise<NumberedWriter> {
    await store.create({ id, kind: 'a', status: 'b', createdAt: 1, snapshot: 0 });
    return new NumberedWriter(store, id);
  }

  static createAll(store: Store, count: number): Promise<NumberedWriter[]> {
    const ids = Array.from({ length: count }, (_, index) => `writer-${index}`);
    return Promise.all(ids.map((id) => NumberedWriter.create(store, id)));
  }

  async write(): Promise<void> {
    const { id, stored } = this;
    const parts = this.#changeOfParts();
    await this.#store.commit({
      id,
      expectedRevision: stored + 1,
      snapshot: stored + 1,
      parts,
      journal: [stored],
    });
    const kept = Array.from(this.#parts).filter(([key]) => !parts.removed.includes(key));
    this.#parts = new Map([...kept, ...parts.set.map(({ key, value }) => [key, value] as const)]);
    this.stored += 1;
  }

  /** Removes, replaces and adds parts. A key may be removed and set by one write, and come back. */
  #changeOfParts() {
    const some = () => partKeys.filter(() => this.#chance.next() < 0.3);
    const set = some().map((key) => {
      const value = `${this.stored} ${'x'.repeat(this.#chance.between(0, 500))}`;
      return { key, value };
    });
    return { removed: some(), set };
  }

  async writeUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.write();
  }

  /** What is wrong with the record; undefined when it has exactly what was answered. */
  async fault(store: Store = this.#store): Promise<string | undefined> {
    const lines: unknown[] = [];
    for (let from = 0; from <= this.stored; from += 10_000)
      lines.push(...(await store.journal(this.id, { from, limit: 10_000 })));
    const wrong = lines.findIndex((line, index) => line !== index);
    if (wrong !== -1) return `${this.id}: line ${wrong} is ${String(lines[wrong])}.`;
    const record = await store.read(this.id);
    if (record?.snapshot !== this.stored || record.revision !== this.stored + 1)
      return `${this.id} is at ${JSON.stringify(record)}, and ${this.stored} lines were answered.`;
    if (lines.length !== this.stored)
      return `${this.id} has ${lines.length} lines of ${this.stored}.`;
    const parts = new Map(record.parts.map(({ key, value }) => [key, value]));
    return isDeepStrictEqual(parts, this.#parts) && record.parts.length === parts.size
      ? undefined
      : `${this.id} has the parts ${shown(record.parts)} instead of ${shown([...this.#parts])}.`;
  }
}

function shown(parts: unknown): string {
  return JSON.stringify(parts).replaceAll(/x{9,}/g, '…');
}

/** What is wrong with the records of all writers. */
export async function faultsOf(
  writers: readonly NumberedWriter[],
  store?: Store,
): Promise<string[]> {
  const faults = await Promise.all(writers.map((writer) => writer.fault(store)));
  return faults.filter((fault) => fault !== undefined);
}
