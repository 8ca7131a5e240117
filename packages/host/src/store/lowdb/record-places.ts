import type { Segment } from './log/segment-file.ts';

/** Where a write of a record is in the log. */
export interface WritePlace {
  /** The number of the write. */
  readonly number: number;
  readonly segment: Segment;
  readonly offset: number;
  /** Bytes. */
  readonly length: number;
  /** Whether the write deletes the record. Its files are removed before the next write is compacted. */
  readonly isDeletion: boolean;
}

/** Where a record is stored. */
export interface RecordPlace {
  /** The number of the last write that its `record.json` includes; 0 when the record is only in the log. */
  readonly compacted: number;
  /** The number of its last write. */
  readonly last: number;
  /** The number of the write that created it; infinite when the record is deleted. */
  readonly firstWrite: number;
  /** The length of its `record.json`, if it was written in this epoch. */
  readonly fileBytes?: number;
  /** Its writes that are only in the log, oldest first. */
  readonly writes: readonly WritePlace[];
}

interface MutablePlace extends RecordPlace {
  last: number;
  firstWrite: number;
  writes: WritePlace[];
}

/** Knows where each record is stored, including deleted ones whose files are not removed yet. */
export class RecordPlaces {
  readonly #places = new Map<string, MutablePlace>();

  get size(): number {
    return this.#places.size;
  }

  get(id: string): RecordPlace | undefined {
    return this.#places.get(id);
  }

  entries(): IterableIterator<[string, RecordPlace]> {
    return this.#places.entries();
  }

  /** The ids of records with writes that are only in the log. */
  *uncompacted(): Generator<string> {
    for (const [id, { writes }] of this.#places) if (writes.length > 0) yield id;
  }

  /** Adds a record whose writes are all in its files. */
  putCompacted(id: string, compacted: number, firstWrite: number): void {
    this.#places.set(id, { compacted, last: compacted, firstWrite, writes: [] });
  }

  /** Adds a write that is in the log. A deletion replaces all writes before it. */
  add(id: string, write: WritePlace): void {
    const known = this.#places.get(id);
    const { records } = write.segment;
    records.set(id, (records.get(id) ?? 0) + 1);
    if (known === undefined || write.isDeletion) {
      for (const { segment } of known?.writes ?? noWrites) removeOne(segment.records, id);
      const firstWrite = write.isDeletion ? Infinity : write.number;
      this.#places.set(id, { compacted: 0, last: write.number, firstWrite, writes: [write] });
      return;
    }
    known.last = write.number;
    if (known.firstWrite === Infinity) known.firstWrite = write.number;
    known.writes.push(write);
  }

  /**
   * The writes of a record up to a number are in its files now, or the record was deleted with its files.
   *
   * @param fileBytes the length of its `record.json`; undefined when the record has no files
   */
  setCompacted(id: string, number: number, fileBytes: number | undefined): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    const writes = place.writes.filter((write) => write.number > number);
    for (const { segment } of place.writes.slice(0, place.writes.length - writes.length))
      removeOne(segment.records, id);
    const { last, firstWrite } = place;
    if (fileBytes !== undefined)
      this.#places.set(id, { compacted: number, last, firstWrite, fileBytes, writes });
    else if (writes.length === 0) this.#places.delete(id);
    else this.#places.set(id, { compacted: 0, last, firstWrite, writes });
  }
}

const noWrites: readonly WritePlace[] = [];

function removeOne(counts: Map<string, number>, id: string): void {
  const count = counts.get(id) ?? 0;
  if (count > 1) counts.set(id, count - 1);
  else counts.delete(id);
}
