import { createHash } from 'node:crypto';
import { type SpanContext, TraceFlags } from '@opentelemetry/api';

/**
 * Derives the ids of spans from what they describe, so that every process gives a span the same id, and a replay gives the same
 * spans.
 *
 * @param instance the outermost instance, the ancestor of all others
 * @param createdAt milliseconds since 1970 UTC: an id can be used again after an instance is erased
 */
export function traceIdOf(instance: string, createdAt: number): string {
  return hash(32, ['trace', instance, createdAt]);
}

/** @param line the journal line with which the span begins */
export function spanContextOf(
  traceId: string,
  instance: string,
  line: number,
  what: string,
): SpanContext {
  const spanId = hash(16, ['span', traceId, instance, line, what]);
  return { traceId, spanId, traceFlags: TraceFlags.SAMPLED };
}

function hash(length: number, parts: readonly (string | number)[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, length);
  // An id of zeros only is invalid.
  return /[^0]/.test(hex) ? hex : hex.replace(/.$/, '1');
}
