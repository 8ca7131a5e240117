import { createHash } from 'node:crypto';
import { type SpanContext, TraceFlags } from '@opentelemetry/api';

/**
 * The ids of spans follow from what they stand for, so that every process gives a span the same id, and a replay the same spans.
 *
 * @param instance the outermost instance: that of which all others are children
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
  // Ids of zeros only are invalid.
  return /[^0]/.test(hex) ? hex : hex.replace(/.$/, '1');
}
