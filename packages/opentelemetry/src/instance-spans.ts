import type { Attributes } from '@opentelemetry/api';
import { attributes as names } from './conventions.ts';
import type { OpenSpans } from './open-spans.ts';
import type { TraceContext, TracedInstance } from './traced.ts';

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
