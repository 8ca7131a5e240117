import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { traceHost } from './host-tracer.ts';
import type { HostTracing, TraceOptions } from './trace-options.ts';
import type { TracedHost } from './traced.ts';

export { positionFile } from './delivery.ts';
export { tracedPorts } from './traced-ports.ts';
export type { HostTracing } from './trace-options.ts';

export interface OtlpOptions extends Omit<
  TraceOptions,
  'exporter' | 'meterProvider' | 'resource' | 'exportTimeoutMs'
> {
  /** The base URL of the collector, such as `http://127.0.0.1:4318`. Default: the variables of OpenTelemetry. */
  readonly endpoint?: string;
  /** The tenant of the host, for the attribute `dramaturg.tenant` of the resource. */
  readonly tenant?: string | undefined;
}

/**
 * Traces a host to a collector that speaks OTLP over HTTP, with spans and metrics. Headers, timeouts, compression and certificates are
 * those of the variables `OTEL_EXPORTER_OTLP_*`; the resource has `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
 *
 * @throws as `traceHost`
 */
export async function traceOtlp(
  host: TracedHost,
  { endpoint, tenant, ...options }: OtlpOptions = {},
): Promise<HostTracing> {
  const to = (path: string) => (endpoint === undefined ? {} : { url: signalUrl(endpoint, path) });
  const resource = resourceFromAttributes({
    'service.name': 'dramaturg',
    ...(tenant !== undefined && { 'dramaturg.tenant': tenant }),
  }).merge(detectResources({ detectors: [envDetector] }));
  await resource.waitForAsyncAttributes?.();
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(to('v1/metrics')),
  });
  const meterProvider = new MeterProvider({ resource, readers: [reader] });
  const tracing = await traceHost(host, {
    ...options,
    exporter: new OTLPTraceExporter(to('v1/traces')),
    meterProvider,
    resource,
  });
  return {
    get counts() {
      return tracing.counts;
    },
    ended: tracing.ended,
    traceparentOf: (call) => tracing.traceparentOf(call),
    flush: (within) => tracing.flush(within),
    stop: async (within) => {
      const stopping = tracing.stop(within);
      // Sends the last measurements. A collector that cannot be reached does not get them.
      await meterProvider.shutdown({ timeoutMillis: within?.within ?? 5000 }).catch(() => {});
      await stopping;
    },
  };
}

/** Joins the endpoint and the path of a signal, as the specification does for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
function signalUrl(endpoint: string, path: string): string {
  return `${endpoint.replace(/\/+$/, '')}/${path}`;
}
