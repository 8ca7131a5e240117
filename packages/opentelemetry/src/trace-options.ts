import type { MeterProvider } from '@opentelemetry/api';
import type { ContentOptions, Resource } from './span.ts';
import type { DeliveryCounts, Guarantee, SpanExporter, TracePosition } from './delivery.ts';

export interface TraceOptions extends ContentOptions {
  /** Takes the spans; one of OpenTelemetry's SDK. `stop` shuts it down. */
  readonly exporter?: SpanExporter;
  /** The entity that the spans describe: `resourceFromAttributes({ 'service.name': 'desk' })`. */
  readonly resource?: Resource;
  /** Takes the metrics. */
  readonly meterProvider?: MeterProvider;
  /** Where the next process continues. Without it, each process begins with new events. */
  readonly position?: TracePosition;
  /** Begins with the first stored event if there is no position yet. */
  readonly fromBeginning?: boolean;
  /** `at-most-once` when left out. */
  readonly guarantee?: Guarantee;
  /** `gen_ai.provider.name`: the provider of the models. */
  readonly provider?: string;
  /** The paths of definitions, by name, for `code.file.path`. */
  readonly files?: Readonly<Record<string, string>>;
  /** A batch is exported when it has `spans` spans (512), or every `everyMs` milliseconds (1,000). */
  readonly batch?: { readonly spans?: number; readonly everyMs?: number };
  /** An export that takes longer has an unknown outcome: 30,000 ms when left out. */
  readonly exportTimeoutMs?: number;
  /** Pauses after a failure: 1,000 ms first, twice as long after each one, 60,000 ms at most. */
  readonly retryMs?: { readonly first?: number; readonly max?: number };
  /** Receives failures of the collector and of the position, which never disturb the host. Default: warnings of the process. */
  readonly onError?: (error: Error) => void;
}

/** Traces of a host that are being made. */
export interface HostTracing {
  /** The number of spans that the collector has, has refused, or may have. */
  readonly counts: DeliveryCounts;
  /** Fulfils when tracing has ended by itself: with the host, or with the error that ended it. */
  readonly ended: Promise<Error | undefined>;
  /**
   * The `traceparent` of a port call, for the requests that the port sends: `{ instance: call.instance, key: input.key }`.
   * Spec: W3C Trace Context, section 3.2
   *
   * @returns undefined when the instance does not have such an open call
   */
  traceparentOf(call: {
    readonly instance: string;
    readonly key: string;
  }): Promise<string | undefined>;
  /** Exports everything that is stored now. Fulfils with true when done, and with false if the time is up before. */
  flush(options?: { readonly within?: number }): Promise<boolean>;
  /**
   * Exports everything that was read, and shuts the exporter down. The next process exports what the collector does not take in
   * time.
   */
  stop(options?: { readonly within?: number }): Promise<void>;
}
