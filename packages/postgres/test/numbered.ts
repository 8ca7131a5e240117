import type { Store } from '@dramaturg/host';

/** A writer that adds numbered lines to one record, and checks afterwards that each is there once, in order. */
export class NumberedWriter {
  readonly id: string;
  /** The lines whose write was answered. */
  stored = 0;
  readonly #store: Store;

  private constructor(store: Store, id: string) {
    this.#store = store;
    this.id = id;
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
    await this.#store.commit({
      id,
      expectedRevision: stored + 1,
      snapshot: stored + 1,
      journal: [stored],
    });
    this.stored += 1;
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
    return lines.length === this.stored
      ? undefined
      : `${this.id} has ${lines.length} lines of ${this.stored}.`;
  }
}

/** What is wrong with the records of all writers. */
export async function faultsOf(
  writers: readonly NumberedWriter[],
  store?: Store,
): Promise<string[]> {
  const faults = await Promise.all(writers.map((writer) => writer.fault(store)));
  return faults.filter((fault) => fault !== undefined);
}
