import type { Measurement } from './measurement.ts';
import type { EndedSpan } from './span.ts';
import type { Traced } from './traced.ts';

/** Spans and measurements that are handed on together, with the cursor of the event after which they are complete. */
export class Batch {
  readonly spans: EndedSpan[] = [];
  readonly measurements: Measurement[] = [];
  cursor: string | undefined;

  add({ spans, measurements }: Traced, cursor: string | undefined): void {
    this.spans.push(...spans);
    this.measurements.push(...measurements);
    this.cursor = cursor ?? this.cursor;
  }

  get isEmpty(): boolean {
    return this.spans.length === 0 && this.measurements.length === 0;
  }
}
