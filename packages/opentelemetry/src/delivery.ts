import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { HostEvent, ReaderPosition } from '@dramaturg/host';
import { journalLineOf } from '@dramaturg/host/engine';
import { nodeSystem, replaceFile } from '@dramaturg/host/store';
import type { EndedSpan, Measurement } from './span.ts';
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

/**
 * `at-most-once`: no span is sent to the collector twice, but a batch that a crash or a lost answer interrupts may be missing.
 * `at-least-once`: no span is missing, but such a batch may come twice, with the same ids.
 */
export type Guarantee = 'at-most-once' | 'at-least-once';

export interface DeliveryOptions {
  readonly exporter: SpanExporter | undefined;
  readonly position: TracePosition | undefined;
  readonly guarantee: Guarantee;
  readonly exportTimeoutMs: number;
  readonly retryMs: { readonly first: number; readonly max: number };
  readonly onMeasured: (measurements: Batch['measurements']) => void;
  readonly onError: (error: Error) => void;
  /** Whether the events of all instances have one order. If not, the first cursor is kept, and the read lines of each journal are counted. */
  readonly isOrdered: boolean;
}

/** The number of spans by outcome. */
export interface DeliveryCounts {
  readonly exported: number;
  readonly refused: number;
  readonly uncertain: number;
}

/**
 * Exports batches to the collector one after another, and stores the position of each.
 *
 * - D1 With `at-most-once`, the position is stored before its batch is exported; with `at-least-once`, after it was accepted.
 * - D2 A batch that does not reach the collector is exported again, until it is accepted or refused. The next one waits. Nothing
 *   is dropped, because the events are in the store.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #counts = { exported: 0, refused: 0, uncertain: 0 };
  readonly #finishing = new AbortController();
  readonly #aborting = new AbortController();
  /** The position before the present batch. */
  #saved: string | undefined;
  #pauseMs = 0;

  constructor(options: DeliveryOptions, after: string | undefined) {
    this.#options = options;
    this.#saved = after;
  }

  get counts(): DeliveryCounts {
    return this.#counts;
  }

  /** From now on each batch gets one attempt, without a pause before it. */
  finish(): void {
    this.#finishing.abort();
  }

  /** Stops waiting for answers. */
  abort(): void {
    this.#finishing.abort();
    this.#aborting.abort();
  }

  async deliver(batch: Batch): Promise<void> {
    if (batch.isEmpty) return;
    const { guarantee, onMeasured } = this.#options;
    const after = this.#cursorAfter(batch);
    const read = batch.linesRead('after');
    if (guarantee === 'at-most-once' && !(await this.#save(after, read, batch.spans.length)))
      return;
    const isHandedOn = await this.#export(batch);
    if (!isHandedOn) {
      // The next process begins with this batch.
      await this.#save(this.#saved, batch.linesRead('before'), 0);
      return;
    }
    onMeasured(batch.measurements);
    if (await this.#save(after, read, 0)) this.#saved = after ?? this.#saved;
  }

  #cursorAfter({ cursor }: Batch): string | undefined {
    return this.#options.isOrdered ? cursor : this.#saved;
  }

  /** @returns false when the delivery was stopped before the collector had the batch */
  async #export({ spans }: Batch): Promise<boolean> {
    const { exporter, exportTimeoutMs, guarantee } = this.#options;
    if (!exporter || spans.length === 0) return true;
    for (;;) {
      await this.#pause();
      const exported = await exportSpans(exporter, spans, {
        timeoutMs: exportTimeoutMs,
        signal: this.#aborting.signal,
      });
      this.#slowDown(exported);
      const isRepeated =
        exported.outcome === 'unavailable' ||
        (exported.outcome === 'unknown' && guarantee === 'at-least-once');
      if (!isRepeated) {
        this.#count(exported, spans.length);
        return true;
      }
      this.#report(exported, `${spans.length} spans wait for the collector`);
      if (this.#finishing.signal.aborted) return false;
    }
  }

  #count(exported: Exported, count: number): void {
    if (exported.outcome === 'accepted') this.#counts.exported += count;
    else if (exported.outcome === 'refused') {
      this.#counts.refused += count;
      this.#report(exported, `The collector has refused ${count} spans`);
    } else {
      this.#counts.uncertain += count;
      this.#report(exported, `Nobody knows whether the collector has ${count} spans`);
    }
  }

  #report(exported: Exported, what: string): void {
    if (exported.outcome === 'accepted') return;
    const { error } = exported;
    this.#options.onError(new Error(`${what}: ${error.message}`, { cause: error }));
  }

  #slowDown({ outcome }: Exported): void {
    const { first, max } = this.#options.retryMs;
    const isTrouble = outcome === 'unavailable' || outcome === 'unknown';
    this.#pauseMs = isTrouble ? Math.min(max, this.#pauseMs === 0 ? first : this.#pauseMs * 2) : 0;
  }

  async #pause(): Promise<void> {
    if (this.#pauseMs === 0) return;
    await wait(this.#pauseMs, undefined, { signal: this.#finishing.signal, ref: false }).catch(
      () => {},
    );
  }

  /** Tries until the position is stored. @returns false when the delivery was stopped before that */
  async #save(
    after: string | undefined,
    read: ReadonlyMap<string, number>,
    exporting: number,
  ): Promise<boolean> {
    const { position, onError, retryMs } = this.#options;
    if (!position || after === undefined) return true;
    for (let pauseMs = retryMs.first; ; pauseMs = Math.min(retryMs.max, pauseMs * 2)) {
      try {
        await position.save(JSON.stringify({ after, exporting } satisfies SavedPosition), read);
        return true;
      } catch (error) {
        onError(new Error('The position of the traces cannot be stored.', { cause: error }));
      }
      if (this.#finishing.signal.aborted) return false;
      await wait(pauseMs, undefined, { signal: this.#finishing.signal, ref: false }).catch(
        () => {},
      );
    }
  }
}

/** The position that is stored between processes. */
interface SavedPosition {
  /** The cursor of the last event whose spans were given to the exporter, or are being given to it. */
  readonly after: string;
  /** The number of spans that are being given to it. */
  readonly exporting: number;
}

/** @throws Error when the string is not a saved position */
export async function loadPosition(position: TracePosition): Promise<SavedPosition | undefined> {
  const text = await position.load();
  if (text === undefined) return undefined;
  try {
    const { after, exporting } = JSON.parse(text) as Partial<SavedPosition>;
    if (typeof after === 'string' && Number.isInteger(exporting))
      return { after, exporting: exporting! };
  } catch {
    // The error below has a better message.
  }
  throw new Error(
    `The position of the traces cannot be read: ${JSON.stringify(text.slice(0, 100))}. Remove it to begin with the events from now on.`,
  );
}

/** The result that an exporter gives: the code 0 for a success. */
export interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

/**
 * An exporter of OpenTelemetry's SDK, such as `OTLPTraceExporter` or `InMemorySpanExporter`. Structural, because the program
 * brings the SDK.
 */
export interface SpanExporter {
  export(spans: never[], onResult: (result: ExportResult) => void): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

/**
 * The outcome of an export: the collector has the batch, may take it later, or refuses it; or the outcome is unknown because the
 * answer was lost.
 */
type Exported =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'unavailable' | 'refused' | 'unknown'; readonly error: Error };

/**
 * Gives a batch to an exporter. Never rejects. An exporter that does not answer in time, or before the signal, has an unknown
 * outcome.
 */
async function exportSpans(
  exporter: SpanExporter,
  spans: readonly EndedSpan[],
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Exported> {
  let stopListening = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const result = await new Promise<ExportResult>((resolve) => {
    const error = new Error(`The exporter has not answered in time.`);
    const giveUp = () => resolve({ code: 1, error });
    timer = setTimeout(giveUp, timeoutMs);
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    stopListening = () => signal.removeEventListener('abort', giveUp);
    try {
      exporter.export(spans as never[], resolve);
    } catch (thrown) {
      resolve({ code: 1, error: thrown instanceof Error ? thrown : new Error(String(thrown)) });
    }
  });
  clearTimeout(timer);
  stopListening();
  if (result.code === 0) return { outcome: 'accepted' };
  const error = result.error ?? new Error('The exporter has failed without a reason.');
  return { outcome: outcomeOf(error), error };
}

/** Errors after which the collector cannot have the spans, because it was not reached. */
const notReached: ReadonlySet<unknown> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
]);

function outcomeOf(error: Error): 'unavailable' | 'refused' | 'unknown' {
  const { code } = error as { readonly code?: unknown };
  if (notReached.has(code)) return 'unavailable';
  // An answer with a status: the collector has refused the spans, for now or for good.
  if (typeof code === 'number')
    return code >= 500 || code === 429 || code === 408 ? 'unavailable' : 'refused';
  // OTLP exporters end like this when the last of several attempts had a status that allows a retry.
  return error.name === 'OTLPExporterError' && code === undefined ? 'unavailable' : 'unknown';
}

/** Keeps the position up to which a host was traced, for the next process. `host.readerPosition` keeps it with the instances. */
export interface TracePosition extends Partial<Pick<ReaderPosition, 'begin' | 'events'>> {
  /** @returns undefined the first time */
  readonly load: () => Promise<string | undefined>;
  /** Fulfils when the stored string survives a crash. */
  readonly save: ReaderPosition['save'];
}

/** A position in a file. Its folder is created. */
export function positionFile(path: string): TracePosition {
  return {
    load: async () => {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    save: async (text) => {
      await mkdir(dirname(path), { recursive: true });
      const draft = `${path}.draft`;
      // A killed process may have left the draft.
      await rm(draft, { force: true });
      await replaceFile(nodeSystem().files, draft, path, [text]);
    },
  };
}
