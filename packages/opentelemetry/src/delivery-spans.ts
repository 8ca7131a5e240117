import type { FailedAttempt } from '@dramaturg/host';
import { type SpanContext, SpanKind } from '@opentelemetry/api';
import { attributes as names } from './conventions.ts';
import { InstanceSpans } from './instance-spans.ts';
import { addEvent, type OpenSpan } from './span.ts';
import { type Event, text, type Traced, type When } from './traced.ts';

/** The spans of the messages of one instance, each until its channel has accepted or rejected it. */
export class DeliverySpans extends InstanceSpans {
  get areOpen(): boolean {
    return this.spans.ofType('delivery').length > 0;
  }

  start({ id, role }: Event, { at, line }: When, parent: SpanContext): OpenSpan {
    const known = this.spans.get('delivery', text(id));
    if (known) return known;
    return this.spans.start(line, {
      type: 'delivery',
      key: text(id),
      name: 'delivery',
      kind: SpanKind.PRODUCER,
      parent,
      at,
      attributes: {
        ...this.common,
        'dramaturg.message': text(id),
        'dramaturg.message.role': text(role),
      },
    });
  }

  end(event: Event, when: When, parent: SpanContext, traced: Traced): void {
    // A notice has no event of its own before it is delivered.
    const span = this.start(event, when, parent);
    const { id, definition } = this.instance;
    this.#addAttempts(span, event);
    if (event.type === 'message.rejected')
      span.error = {
        type: 'message.rejected',
        ...this.context.content.message(id, event['because']),
      };
    traced.measurements.push({
      instrument: 'dramaturg.delivery.duration',
      value: Math.max(0, when.at - span.startedAt) / 1000,
      attributes: {
        'dramaturg.definition': definition.name,
        'dramaturg.message.role': text(event['role']),
        ...(span.error ? { [names.errorType]: span.error.type } : {}),
      },
    });
    traced.spans.push(this.spans.end(span, when.at));
  }

  #addAttempts(span: OpenSpan, { attempts, failed }: Event): void {
    if (typeof attempts !== 'number' || !Array.isArray(failed)) return;
    span.attributes['dramaturg.delivery.attempts'] = attempts;
    const { content } = this.context;
    for (const { at, because } of failed as readonly FailedAttempt[])
      addEvent(span, 'attempt.failed', at, {
        ...content.attribute(this.instance.id, 'error.message', because),
      });
  }
}
