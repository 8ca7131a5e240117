import { createHash } from 'node:crypto';
import { type Attributes, type SpanContext, SpanKind, TraceFlags } from '@opentelemetry/api';
import {
  attributes as names,
  type EndedSpan,
  endSpan,
  type OpenSpan,
  type Resource,
  type SpanType,
} from './span.ts';
import type { TraceContext, TracedInstance } from './traced.ts';

export interface SpanStart {
  readonly type: SpanType;
  /** Unique among the open spans of the type. */
  readonly key: string;
  readonly name: string;
  readonly kind?: SpanKind;
  readonly parent: SpanContext | undefined;
  readonly at: number;
  readonly attributes: Attributes;
}

/** Owns the open spans of one instance, in the order in which they began. */
export class OpenSpans {
  readonly #traceId: string;
  readonly #instance: string;
  readonly #resource: Resource;
  readonly #open = new Map<string, OpenSpan>();

  constructor(traceId: string, instance: string, resource: Resource) {
    this.#traceId = traceId;
    this.#instance = instance;
    this.#resource = resource;
  }

  /** @param line the journal line of the event with which the span begins */
  start(line: number, { type, key, name, kind, parent, at, attributes }: SpanStart): OpenSpan {
    const id = idOf(type, key);
    const span: OpenSpan = {
      type,
      name,
      kind: kind ?? SpanKind.INTERNAL,
      context: spanContextOf(this.#traceId, this.#instance, line, id),
      parent,
      startedAt: at,
      attributes,
      links: [],
      events: [],
      droppedEvents: 0,
    };
    this.#open.set(id, span);
    return span;
  }

  get(type: SpanType, key: string): OpenSpan | undefined {
    return this.#open.get(idOf(type, key));
  }

  /** The open spans of a type, the oldest first. */
  ofType(type: SpanType): OpenSpan[] {
    return [...this.#open.values()].filter((span) => span.type === type);
  }

  end(span: OpenSpan, at: number): EndedSpan {
    for (const [id, each] of this.#open) if (each === span) this.#open.delete(id);
    return endSpan(span, at, this.#resource);
  }

  /** Restarts all open spans now: the fork has copied them from its original. */
  beginAgain(line: number, at: number): void {
    for (const [id, span] of this.#open) {
      span.startedAt = at;
      span.events.splice(0);
      // Changed in place, because open spans share it as the context of their parent.
      Object.assign(span.context, spanContextOf(this.#traceId, this.#instance, line, id));
    }
  }
}

function idOf(type: SpanType, key: string): string {
  return `${type}:${key}`;
}

/** Spans of one kind, with the facts about their instance. */
export abstract class InstanceSpans {
  protected readonly instance: TracedInstance;
  protected readonly context: TraceContext;
  protected readonly spans: OpenSpans;

  constructor(instance: TracedInstance, context: TraceContext, spans: OpenSpans) {
    this.instance = instance;
    this.context = context;
    this.spans = spans;
  }

  /** Attributes of every span. */
  protected get common(): Attributes {
    return commonAttributes(this.instance);
  }
}

export function commonAttributes({ id, definition }: TracedInstance): Attributes {
  return {
    'dramaturg.instance': id,
    'dramaturg.definition': definition.name,
    [names.conversation]: id,
  };
}

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
