import type { HostEvent } from '@dramaturg/host';
import type { SpanContext } from '@opentelemetry/api';
import type { Content } from './content.ts';
import type { Measurement } from './measurement.ts';
import type { SourceMap } from './source-map.ts';
import type { EndedSpan, Resource } from './span.ts';

export type Event = HostEvent['event'];

/** A lifecycle has neither a conversation nor a workflow. */
export type InstanceKind = 'conversation' | 'workflow' | 'lifecycle';

/** The facts about an instance that are not in its events. */
export interface TracedInstance {
  readonly id: string;
  readonly traceId: string;
  readonly definition: { readonly name: string; readonly version: string };
  readonly kind: InstanceKind;
  /** Milliseconds since 1970 UTC. Earlier events belong to the original of a fork. */
  readonly createdAt: number;
  readonly sources: SourceMap | undefined;
  /** The span of the call that the instance answers, as a child. */
  readonly parent: SpanContext | undefined;
  /** Its data, if content is exported. */
  readonly input: unknown;
}

/** The spans and measurements that an event completes. */
export interface Traced {
  readonly spans: EndedSpan[];
  readonly measurements: Measurement[];
}

export interface TraceContext {
  readonly content: Content;
  readonly resource: Resource;
  /** Attributes of measurements that name the provider of the models. */
  readonly provider: string;
}

/** The time of an event, in milliseconds since 1970 UTC, and its journal line. */
export interface When {
  readonly at: number;
  readonly line: number;
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
