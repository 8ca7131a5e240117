import type { EndedSpan } from './span.ts';

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
export type Exported =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'unavailable' | 'refused' | 'unknown'; readonly error: Error };

/**
 * Gives a batch to an exporter. Never rejects. An exporter that does not answer in time, or before the signal, has an unknown
 * outcome.
 */
export async function exportSpans(
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
