import type { OpenFile } from '../disk/file-system.ts';

/** Where a write of a record is in the journal. */
export interface WritePlace {
  readonly number: number;
  readonly file: OpenFile;
  readonly offset: number;
  /** Bytes. */
  readonly length: number;
}

/** Where a record is stored. */
export interface RecordPlace {
  /** The number of the write that created it; infinite when the record is deleted and its files are not removed yet. */
  readonly firstWrite: number;
  /** The number of its last write. */
  readonly lastWrite: number;
  /** The number of the last write that its `record.json` includes; 0 when the record is only in the journal. */
  readonly folded: number;
  /** Its writes that are only in the journal, oldest first. */
  readonly writes: readonly WritePlace[];
}

interface MutablePlace extends RecordPlace {
  lastWrite: number;
  readonly writes: WritePlace[];
}

/** Knows where each record is stored. */
export class Places {
  readonly #places = new Map<string, MutablePlace>();

  get(id: string): RecordPlace | undefined {
    return this.#places.get(id);
  }

  /** The ids of records with writes that are only in the journal, and of deleted records. */
  unfolded(): string[] {
    const isUnfolded = ({ writes, firstWrite }: RecordPlace) =>
      writes.length > 0 || firstWrite === Infinity;
    return Array.from(this.#places).flatMap(([id, place]) => (isUnfolded(place) ? [id] : []));
  }

  /** Sets a record whose writes up to a number are all in its files. */
  setFolded(id: string, firstWrite: number, folded: number): void {
    const { lastWrite = folded, writes = [] } = this.#places.get(id) ?? {};
    const newer = writes.filter(({ number }) => number > folded);
    this.#places.set(id, { firstWrite, lastWrite, folded, writes: newer });
  }

  /** Adds a write that is in the journal. */
  add(id: string, write: WritePlace): void {
    const known = this.#places.get(id);
    const { number } = write;
    if (known === undefined || known.firstWrite === Infinity) {
      this.#places.set(id, { firstWrite: number, lastWrite: number, folded: 0, writes: [write] });
      return;
    }
    known.lastWrite = Math.max(known.lastWrite, number);
    known.writes.push(write);
  }

  /** The record was deleted by a write. Its files remain until the journal is folded. */
  setDeleted(id: string, number: number): void {
    this.#places.set(id, { firstWrite: Infinity, lastWrite: number, folded: 0, writes: [] });
  }

  remove(id: string): void {
    this.#places.delete(id);
  }
}
