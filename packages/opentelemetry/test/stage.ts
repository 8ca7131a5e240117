import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  compile,
  type Compiled,
  createHost,
  type Host,
  memoryStore,
  type Ports,
  type StoreLocation,
  understudyPorts,
} from 'dramaturg';
import { onTestFinished } from 'vitest';
import { type HostTracing, traceHost, type TraceOptions } from '../src/index.ts';

export interface Traced {
  readonly host: Host;
  readonly tracing: HostTracing;
  readonly exporter: InMemorySpanExporter;
  /** The spans so far, once everything that is stored was handed on. */
  readonly spans: () => Promise<readonly ReadableSpan[]>;
}

export interface Staging extends Partial<TraceOptions> {
  readonly store?: StoreLocation;
  readonly ports?: Partial<Ports>;
  readonly channel?: () => Promise<void> | void;
}

/** A host with the definitions, whose traces go to an exporter in memory of OpenTelemetry's SDK. */
export async function traced(
  definitions: Readonly<Record<string, Compiled>>,
  { store = memoryStore(), ports, channel = () => {}, ...options }: Staging = {},
): Promise<Traced> {
  const host = await createHost({
    store,
    definitions,
    ports: { ...understudyPorts(), ...ports },
    channels: { main: { deliver: channel } },
    onError: () => {},
  });
  const exporter = new InMemorySpanExporter();
  const tracing = await traceHost(host, {
    exporter,
    resource: resourceFromAttributes({ 'service.name': 'test' }),
    fromBeginning: true,
    batch: { everyMs: 20 },
    retryMs: { first: 20, max: 50 },
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  onTestFinished(async () => {
    await tracing.stop({ within: 200 });
    await host.stop({ within: 0 });
  });
  const spans = async () => {
    await tracing.flush();
    return exporter.getFinishedSpans();
  };
  return { host, tracing, exporter, spans };
}

/** The spans as an indented tree of their types and names. Spans under the same one are in the order of their lines. */
export function treeOf(spans: readonly ReadableSpan[]): string[] {
  const under = (parent: string | undefined): string[] =>
    spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
      .map((span) => [
        `${String(span.attributes['dramaturg.span.type'])}: ${span.name}`,
        ...under(span.spanContext().spanId).map((line) => `  ${line}`),
      ])
      .toSorted((one, other) => one.join('\n').localeCompare(other.join('\n')))
      .flat();
  return under(undefined);
}

export function workflow(definition: object): Compiled {
  return compile(JSON.stringify(definition, null, 2), { fileName: 'it.asl.json' });
}
