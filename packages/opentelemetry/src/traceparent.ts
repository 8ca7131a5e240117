import { type Link, type SpanContext, TraceFlags } from '@opentelemetry/api';

/** A span as other services name it. Spec: W3C Trace Context, section 3.2 */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/**
 * The span of another service as a link. It is not the parent: an instance outlives the request that has started it, and one turn may answer
 * several messages. Spec: OpenTelemetry, Semantic conventions for messaging spans
 *
 * @param traceparent checked by the host
 */
export function linkTo(traceparent: string): Link {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return { context: { traceId, spanId, traceFlags, isRemote: true } };
}
