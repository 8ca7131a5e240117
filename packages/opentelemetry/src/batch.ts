import type { HostEvent } from '@dramaturg/host';
import { journalLineOf } from '@dramaturg/host/engine';
import type { Measurement } from './measurement.ts';
import type { EndedSpan } from './span.ts';
import type { Traced } from './traced.ts';

/** Spans and measurements that are exported together, with the cursor of the event that completes them. */
export class Batch {
  readonly spans: EndedSpan[] = [];
  readonly measurements: Measurement[] = [];
  cursor: string | undefined;
  /** The number of journal lines of each instance that were read before the batch and after it. */
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

  /** The number of journal lines read of each instance, before the batch or after it. */
  linesRead(when: 'before' | 'after'): ReadonlyMap<string, number> {
    return new Map(Array.from(this.#lines, ([id, lines]) => [id, lines[when]]));
  }

  get isEmpty(): boolean {
    return this.spans.length === 0 && this.measurements.length === 0;
  }
}
