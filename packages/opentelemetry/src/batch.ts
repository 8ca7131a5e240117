import type { HostEvent } from '@dramaturg/host';
import { journalLineOf } from '@dramaturg/host/engine';
import type { Measurement } from './measurement.ts';
import type { EndedSpan } from './span.ts';
import type { Traced } from './traced.ts';

/** Spans and measurements that are handed on together, with the cursor of the event after which they are complete. */
export class Batch {
  readonly spans: EndedSpan[] = [];
  readonly measurements: Measurement[] = [];
  cursor: string | undefined;
  /** How many journal lines of each instance are read with the batch, and how many were read before. */
  readonly #lines = new Map<string, { readonly before: number; readonly after: number }>();

  add({ spans, measurements }: Traced, { instance, cursor }: Omit<HostEvent, 'event'>): void {
    this.spans.push(...spans);
    this.measurements.push(...measurements);
    if (cursor === undefined) return;
    this.cursor = cursor;
    const line = journalLineOf(cursor);
    const before = this.#lines.get(instance)?.before ?? line - 1;
    this.#lines.set(instance, { before, after: line });
  }

  /** How many journal lines of its instances are read, before the batch or with it. */
  linesRead(when: 'before' | 'after'): ReadonlyMap<string, number> {
    return new Map(Array.from(this.#lines, ([id, lines]) => [id, lines[when]]));
  }

  get isEmpty(): boolean {
    return this.spans.length === 0 && this.measurements.length === 0;
  }
}
