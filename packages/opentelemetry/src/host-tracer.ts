import { setTimeout as wait } from 'node:timers/promises';
import type { InstanceSummary } from '@dramaturg/host';
import { feedPositionOf, readPages } from '@dramaturg/host/engine';
import type { Counter, Histogram, Meter } from '@opentelemetry/api';
import {
  Content,
  type InstrumentName,
  instruments,
  type Measurement,
  other,
  scope,
} from './span.ts';
import {
  Batch,
  Delivery,
  type DeliveryCounts,
  loadPosition,
  type SpanExporter,
} from './delivery.ts';
import { HostTraces } from './host-traces.ts';
import type { HostTracing, TraceOptions } from './trace-options.ts';
import type { TracedHost } from './traced.ts';
import { traceparentOf } from './turn-spans.ts';

/** Reads the events, and owns the batch that is being filled. States: reading → ended. */
class HostTracer implements HostTracing {
  readonly ended: Promise<Error | undefined>;
  readonly #host: TracedHost;
  readonly #exporter: SpanExporter | undefined;
  readonly #traces: HostTraces;
  readonly #delivery: Delivery;
  readonly #meters: Meters | undefined;
  readonly #onError: (error: Error) => void;
  readonly #reading = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #spansMax: number;
  #batch = new Batch();
  #delivering: Promise<void> = Promise.resolve();
  #after: string | undefined;
  readonly #events: EventSource['events'];
  /** Whether the events of all instances have a common order. */
  readonly #isOrdered: boolean;
  #readAt = Date.now();
  /** Whether an event is being handled or its batch exported. */
  #isBusy = false;

  constructor(
    host: TracedHost,
    options: TraceOptions,
    onError: (error: Error) => void,
    { after, isOrdered, events }: EventSource,
  ) {
    const { exporter, resource, meterProvider, position, guarantee, provider, files } = options;
    const { spans = 512, everyMs = 1000 } = options.batch ?? {};
    const { first = 1000, max = 60_000 } = options.retryMs ?? {};
    this.#host = host;
    this.#exporter = exporter;
    this.#after = after;
    this.#isOrdered = isOrdered;
    this.#events = events;
    this.#onError = onError;
    this.#spansMax = spans;
    const meter = meterProvider?.getMeter(scope.name, scope.version, {
      schemaUrl: scope.schemaUrl,
    });
    this.#meters = meter && new Meters(meter, host, onError);
    this.#traces = new HostTraces({
      host,
      content: new Content(options),
      resource: resource ?? { attributes: { 'service.name': 'dramaturg' } },
      provider: provider ?? other,
      files: files ?? {},
    });
    this.#delivery = new Delivery(
      {
        exporter,
        position,
        guarantee: guarantee ?? 'at-most-once',
        exportTimeoutMs: options.exportTimeoutMs ?? 30_000,
        retryMs: { first, max },
        onMeasured: (measurements) => this.#meters?.record(measurements),
        onError,
        isOrdered,
      },
      after,
    );
    this.#timer = setInterval(() => void this.#handOn(), everyMs);
    this.#timer.unref();
    this.ended = this.#run();
  }

  get counts(): DeliveryCounts {
    return this.#delivery.counts;
  }

  async traceparentOf({
    instance,
    key,
  }: {
    readonly instance: string;
    readonly key: string;
  }): Promise<string | undefined> {
    const span = await this.#traces.callSpan(instance, key);
    return span && traceparentOf(span);
  }

  async flush({ within = 10_000 }: { readonly within?: number } = {}): Promise<boolean> {
    const done = this.#flushNow().then(() => true);
    return Promise.race([done, wait(within, false, { ref: false })]);
  }

  async stop({ within = 5000 }: { readonly within?: number } = {}): Promise<void> {
    clearInterval(this.#timer);
    this.#reading.abort();
    this.#delivery.finish();
    const last = this.ended.then(() => this.#handOn());
    await Promise.race([last, wait(within, undefined, { ref: false })]);
    this.#delivery.abort();
    await last;
    this.#meters?.stop();
    const shutdown = this.#exporter
      ?.shutdown()
      .catch((error: unknown) =>
        this.#onError(new Error('The exporter could not be shut down.', { cause: error })),
      );
    // An exporter may still wait for answers that this tracer does not wait for.
    await Promise.race([shutdown, wait(within, undefined, { ref: false })]);
  }

  async #run(): Promise<Error | undefined> {
    const { signal } = this.#reading;
    try {
      for await (const event of this.#events(signal)) {
        this.#isBusy = true;
        const traced = await this.#traces.apply(event);
        this.#after = event.cursor ?? this.#after;
        this.#batch.add(traced, event);
        if (this.#batch.spans.length >= this.#spansMax) await this.#handOn();
        this.#readAt = Date.now();
        this.#isBusy = false;
        if (signal.aborted) break;
      }
      return undefined;
    } catch (error) {
      // The host has stopped, or has lost its store: the next process continues.
      if (['store/closed', 'store/lost', 'host/stopped'].includes(Object(error).code))
        return undefined;
      const failure = new Error('The traces have ended.', { cause: error });
      this.#onError(failure);
      return failure;
    }
  }

  /** Exports batches one after another. */
  #handOn(): Promise<void> {
    this.#delivering = this.#delivering.then(async () => {
      const batch = this.#batch;
      this.#batch = new Batch();
      await this.#delivery
        .deliver(batch)
        .catch((error: unknown) =>
          this.#onError(new Error('A batch of spans was not delivered.', { cause: error })),
        );
    });
    return this.#delivering;
  }

  /** Reads up to the last write of the store. That write may have no event, so a quiet stream counts as read to its end. */
  async #flushNow(): Promise<void> {
    const begun = Date.now();
    const last = await this.#lastPosition();
    const quiet = () => (this.#isBusy ? 0 : Date.now() - Math.max(begun, this.#readAt));
    const isBehind = () => last === undefined || feedPositionOf(this.#after).position < last;
    const enough = this.#isOrdered ? quietMs : pollsMs;
    while (quiet() < (isBehind() ? enough : betweenEventsMs) && !this.#reading.signal.aborted)
      await wait(10);
    await this.#handOn();
  }

  /** @returns undefined for a host without a common order of its events */
  async #lastPosition(): Promise<number | undefined> {
    if (!this.#isOrdered) return undefined;
    return feedPositionOf(await this.#host.cursor()).position;
  }
}

/** A stream without an event for this long, in milliseconds, has given all stored events. */
const quietMs = 1000;
/** `quietMs` for Restate, where the journals of all instances are polled at least every 5 seconds. */
const pollsMs = 6000;
/** Pause between events, in milliseconds. The events of one write follow each other without a pause. */
const betweenEventsMs = 50;

type ListFilter = Parameters<TracedHost['list']>[0];

/** Maximum number of instances that a gauge counts. */
const countMax = 10_000;

/** The instruments of the metrics. The gauges read the store when the program's reader collects them. */
class Meters {
  readonly #record = new Map<InstrumentName, Counter | Histogram>();
  readonly #removeGauges: () => void;

  /** @param onError receives the error when a gauge cannot be read */
  constructor(meter: Meter, host: TracedHost, onError: (error: Error) => void) {
    for (const [name, { unit, description, ...rest }] of Object.entries(instruments)) {
      const options = { unit, description };
      this.#record.set(
        name as InstrumentName,
        'buckets' in rest
          ? meter.createHistogram(name, {
              ...options,
              advice: { explicitBucketBoundaries: [...rest.buckets] },
            })
          : meter.createCounter(name, options),
      );
    }
    const removers = gauges.map(({ name, description, unit, read }) => {
      const gauge = meter.createObservableGauge(name, { description, unit });
      const observe = async (result: { observe: (value: number) => void }) => {
        try {
          result.observe(await read(host));
        } catch (error) {
          onError(new Error(`The gauge ${name} could not be read.`, { cause: error }));
        }
      };
      gauge.addCallback(observe);
      return () => gauge.removeCallback(observe);
    });
    this.#removeGauges = () => {
      for (const remove of removers) remove();
    };
  }

  record(measurements: readonly Measurement[]): void {
    for (const { instrument, value, attributes } of measurements) {
      const found = this.#record.get(instrument)!;
      if ('record' in found) found.record(value, attributes);
      else found.add(value, attributes);
    }
  }

  stop(): void {
    this.#removeGauges();
  }
}

const gauges = [
  {
    name: 'dramaturg.queue.length',
    unit: '{instance}',
    description: 'Instances that wait in the queue of their contact.',
    read: (host: TracedHost) => count(host, { state: 'QUEUED', ended: false }, () => 1),
  },
  {
    name: 'dramaturg.decisions.open',
    unit: '{decision}',
    description: 'Questions that wait for a person.',
    read: (host: TracedHost) =>
      count(host, { asks: true, ended: false }, ({ decisionsOpen = 0 }) => decisionsOpen),
  },
  {
    name: 'dramaturg.interventions.open',
    unit: '{instance}',
    description: 'Conversations that wait for a person on the side of the agent.',
    read: (host: TracedHost) =>
      count(host, { state: 'NEEDS_HUMAN_INTERVENTION', ended: false }, () => 1),
  },
];

async function count(
  host: TracedHost,
  filter: ListFilter,
  weight: (instance: InstanceSummary) => number,
): Promise<number> {
  let [sum, seen] = [0, 0];
  for await (const page of readPages((request) => host.list(filter, request))) {
    for (const each of page) sum += weight(each);
    seen += page.length;
    if (seen >= countMax) break;
  }
  return sum;
}

/**
 * Makes spans and metrics from the stored events of a host. No step of an instance waits for it. See docs/traces.md
 *
 * @throws Error when the position cannot be read, or is not the host's own on Restate, where events have no common order
 */
export async function traceHost(host: TracedHost, options: TraceOptions): Promise<HostTracing> {
  const onError = options.onError ?? ((error: Error) => process.emitWarning(error));
  const saved = options.position && (await loadPosition(options.position));
  if (saved && saved.exporting > 0 && options.guarantee !== 'at-least-once')
    onError(
      new Error(
        `The last process has ended while it handed ${saved.exporting} spans to the collector. They may be missing.`,
      ),
    );
  const source = await openEvents(host, options, saved?.after);
  return new HostTracer(host, options, onError, source);
}

type Events = ReturnType<TracedHost['events']>;

/** The events to trace, after those that the last process traced. */
interface EventSource {
  /** The cursor after which they begin. Undefined when they begin now and no later process can continue. */
  readonly after: string | undefined;
  /** Whether the events of all instances have a common order. */
  readonly isOrdered: boolean;
  readonly events: (signal: AbortSignal) => Events;
}

/**
 * @param saved the cursor of the last process
 * @throws Error when the options want a position that cannot be kept
 */
async function openEvents(
  host: TracedHost,
  { position, fromBeginning = false }: Pick<TraceOptions, 'position' | 'fromBeginning'>,
  saved: string | undefined,
): Promise<EventSource> {
  const now = await cursorNow(host);
  const isOrdered = now !== undefined;
  if (position?.begin && position.events) {
    const { begin, events } = position;
    const after = saved ?? (await begin.call(position, fromBeginning));
    return { after, isOrdered, events: (signal) => events.call(position, after, signal) as Events };
  }
  if (!isOrdered && (position || fromBeginning))
    throw new Error(
      'The events of this host have no common order, so only the host can keep a position of them: position: host.readerPosition("traces").',
    );
  const after = saved ?? (fromBeginning ? 'beginning' : now);
  const filter = after === undefined ? {} : { after };
  return { after, isOrdered, events: (signal) => host.events({ ...filter, signal }) };
}

/** @returns undefined for a host without a common order of its events */
async function cursorNow(host: TracedHost): Promise<string | undefined> {
  try {
    return await host.cursor();
  } catch (error) {
    if (Object(error).code !== 'host/bad-request') throw error;
    return undefined;
  }
}
