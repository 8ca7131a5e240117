import {
  type Attributes,
  type Link,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
} from '@opentelemetry/api';

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

/** The version of OpenTelemetry's semantic conventions whose names are used. Those for GenAI are in development, so it is pinned. */
export const semanticConventions = '1.41.0';

const schemaUrl = `https://opentelemetry.io/schemas/${semanticConventions}`;

export const scope = { name: '@dramaturg/opentelemetry', version: '0.1.0', schemaUrl } as const;

/** Attributes of the conventions for GenAI, source code and errors. */
export const attributes = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversation: 'gen_ai.conversation.id',
  agent: 'gen_ai.agent.name',
  workflow: 'gen_ai.workflow.name',
  tool: 'gen_ai.tool.name',
  toolCall: 'gen_ai.tool.call.id',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  tokenType: 'gen_ai.token.type',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  file: 'code.file.path',
  line: 'code.line.number',
  column: 'code.column.number',
  errorType: 'error.type',
} as const;

/** The conventions' value for an unknown thing. */
export const other = '_OTHER';

/**
 * Changes a value before it is exported.
 *
 * @returns the value to export; undefined leaves the attribute out
 */
export type Redact = (
  attribute: string,
  value: string,
  where: { readonly instance: string },
) => string | undefined;

export interface ContentOptions {
  /** Whether texts and data of people, models and agents are exported. False when left out. */
  readonly content?: boolean;
  readonly redact?: Redact;
}

/** The maximum length of an attribute's value, in UTF-16 units. */
const lengthMax = 32_768;

/** Decides which texts and data leave the process. */
export class Content {
  readonly #options: ContentOptions;

  constructor(options: ContentOptions) {
    this.#options = options;
  }

  /** Whether content is exported at all. */
  get isOn(): boolean {
    return this.#options.content === true;
  }

  /** An attribute with content; none unless content is exported. A value that is not a string is exported as JSON. */
  attribute(instance: string, name: string, value: unknown): Attributes {
    if (!this.isOn || value === undefined || value === null) return {};
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const { redact } = this.#options;
    let kept: string | undefined = text;
    if (redact) {
      try {
        kept = redact(name, text, { instance });
      } catch {
        // A value that could not be redacted is not exported.
        kept = undefined;
      }
    }
    if (typeof kept !== 'string') return {};
    return { [name]: kept.length > lengthMax ? `${kept.slice(0, lengthMax)}…` : kept };
  }

  /** The message of an error, which may repeat what a person or a model wrote. */
  message(instance: string, because: unknown): { readonly message?: string } {
    const { [errorMessage]: message } = this.attribute(instance, errorMessage, because);
    return typeof message === 'string' ? { message } : {};
  }
}

const errorMessage = 'error.message';
