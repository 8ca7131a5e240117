import {
  type Attributes,
  type Link,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
} from '@opentelemetry/api';
import { scope } from './conventions.ts';

/** Seconds since 1970 UTC, and nanoseconds. */
type HrTime = [number, number];

/** The entity that makes spans. Structural: the `Resource` of `@opentelemetry/resources`. */
export interface Resource {
  readonly attributes: Attributes;
}

/** A span that has ended, in the form that exporters of OpenTelemetry's SDK 2 and 3 take (`ReadableSpan`). */
export interface EndedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly spanContext: () => SpanContext;
  readonly parentSpanContext?: SpanContext;
  readonly startTime: HrTime;
  readonly endTime: HrTime;
  readonly duration: HrTime;
  readonly status: { readonly code: SpanStatusCode; readonly message?: string };
  readonly attributes: Attributes;
  readonly links: Link[];
  readonly events: {
    readonly name: string;
    readonly time: HrTime;
    readonly attributes: Attributes;
  }[];
  readonly ended: true;
  readonly resource: Resource;
  readonly instrumentationScope: typeof scope;
  readonly droppedAttributesCount: number;
  readonly droppedEventsCount: number;
  readonly droppedLinksCount: number;
}

/** A call that a child answers ends as one of the type `child`. */
export type SpanType = 'instance' | 'turn' | 'transition' | 'call' | 'decision' | 'delivery';

/** A span that has begun. Its id is derived from where it begins, so it is the same in each process. */
export interface OpenSpan {
  readonly type: SpanType;
  name: string;
  readonly kind: SpanKind;
  readonly context: SpanContext;
  readonly parent: SpanContext | undefined;
  /** Milliseconds since 1970 UTC. */
  startedAt: number;
  attributes: Attributes;
  readonly links: Link[];
  readonly events: EndedSpan['events'];
  droppedEvents: number;
  /** The `error.type`, and the message if content is exported. */
  error?: { readonly type: string; readonly message?: string };
}

/** Maximum number of events of a span. */
const eventsMax = 128;

export function addEvent(span: OpenSpan, name: string, at: number, attributes: Attributes): void {
  if (span.events.length < eventsMax) span.events.push({ name, time: hrTime(at), attributes });
  else span.droppedEvents += 1;
}

export function endSpan(span: OpenSpan, endedAt: number, resource: Resource): EndedSpan {
  const { name, kind, context, parent, startedAt, attributes, links, events, error } = span;
  // The times of one instance may come from clocks of several machines.
  const end = Math.max(startedAt, endedAt);
  return {
    name,
    kind,
    spanContext: () => context,
    ...(parent ? { parentSpanContext: parent } : {}),
    startTime: hrTime(startedAt),
    endTime: hrTime(end),
    duration: hrTime(end - startedAt),
    status: error
      ? {
          code: SpanStatusCode.ERROR,
          ...(error.message === undefined ? {} : { message: error.message }),
        }
      : { code: SpanStatusCode.UNSET },
    attributes: {
      ...attributes,
      'dramaturg.span.type': attributes['dramaturg.child'] === undefined ? span.type : 'child',
      ...(error ? { 'error.type': error.type } : {}),
    },
    links,
    events,
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: span.droppedEvents,
    droppedLinksCount: 0,
  };
}

function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

/** The instruments of the metrics, with their units. Names and buckets of `gen_ai.*` are those of the conventions. */
export const instruments = {
  'gen_ai.client.token.usage': {
    unit: '{token}',
    description: 'Tokens of the calls to models.',
    buckets: [
      1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
    ],
  },
  'gen_ai.client.operation.duration': {
    unit: 's',
    description: 'How long calls to models, agents and tools took.',
    buckets: [
      0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ],
  },
  'dramaturg.turn.duration': {
    unit: 's',
    description: 'How long turns took.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
  },
  'dramaturg.delivery.duration': {
    unit: 's',
    description: 'How long messages waited until their channel had accepted them.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 1800],
  },
  'dramaturg.decision.duration': {
    unit: 's',
    description: 'How long questions to people were open.',
    buckets: [1, 10, 60, 300, 900, 3600, 14400, 86400, 604800],
  },
  'dramaturg.turns': { unit: '{turn}', description: 'Turns that have ended.' },
  'dramaturg.call.retries': { unit: '{retry}', description: 'Failed calls that are made again.' },
  'dramaturg.cost': {
    unit: '{currency}',
    description: 'What calls have cost, in the currency of the prices.',
  },
} as const;

export type InstrumentName = keyof typeof instruments;

export interface Measurement {
  readonly instrument: InstrumentName;
  readonly value: number;
  readonly attributes: Attributes;
}
