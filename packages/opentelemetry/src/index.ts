export type { ContentOptions, Redact } from './content.ts';
export { semanticConventions } from './conventions.ts';
export type { DeliveryCounts, Guarantee } from './delivery.ts';
export { positionFile, type TracePosition } from './position.ts';
export type { EndedSpan, Resource } from './span.ts';
export type { ExportResult, SpanExporter } from './span-exporter.ts';
export { type HostTracing, traceHost, type TraceOptions } from './trace-host.ts';
export { tracedPorts } from './traced-ports.ts';
export type { TracedHost } from './traced-host.ts';
