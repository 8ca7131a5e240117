import { failureOfOutput, standingFailure } from '@dramaturg/compiler/chart';
import type { FailedAttempt, HostEvent } from '@dramaturg/host';
import { type Attributes, type SpanContext, SpanKind } from '@opentelemetry/api';
import { CallSpans, retryOf } from './call-spans.ts';
import { addEvent, attributes as names, type OpenSpan } from './span.ts';
import { commonAttributes, InstanceSpans, OpenSpans } from './open-spans.ts';
import {
  type Event,
  text,
  type TraceContext,
  type Traced,
  type TracedInstance,
  type When,
} from './traced.ts';
import { TransitionSpans } from './transition-spans.ts';
import { addLink, TurnSpans } from './turn-spans.ts';

/**
 * Turns the events of one instance into spans and measurements. The result depends only on the events: the same events give the
 * same spans in every process.
 *
 * Owns the open spans of the instance. States: before its first event; traced; ended (only deliveries can still be open).
 */
export class InstanceTrace {
  readonly #instance: TracedInstance;
  readonly #context: TraceContext;
  readonly #spans: OpenSpans;
  readonly #calls: CallSpans;
  readonly #deliveries: DeliverySpans;
  readonly #transitions: TransitionSpans;
  readonly #turns: TurnSpans;
  #root: OpenSpan | undefined;
  #failure: Parameters<typeof standingFailure>[0];
  #hasEnded = false;
  #line = 0;

  constructor(instance: TracedInstance, context: TraceContext) {
    this.#instance = instance;
    this.#context = context;
    this.#spans = new OpenSpans(instance.traceId, instance.id, context.resource);
    this.#calls = new CallSpans(instance, context, this.#spans);
    this.#deliveries = new DeliverySpans(instance, context, this.#spans);
    this.#transitions = new TransitionSpans(instance, context, this.#spans);
    this.#turns = new TurnSpans(instance, context, this.#spans);
  }

  /** The journal line of the last event. */
  get line(): number {
    return this.#line;
  }

  get traceId(): string {
    return this.#instance.traceId;
  }

  /** Whether no more spans can follow. */
  get isOver(): boolean {
    return this.#hasEnded && !this.#deliveries.areOpen;
  }

  /** The span of the call that a child answers. */
  callOf(child: string): SpanContext | undefined {
    return this.#calls.ofChild(child)?.context;
  }

  /** The span of an open call. */
  openCall(key: string): SpanContext | undefined {
    return this.#calls.contextOf(key);
  }

  /** The ids of the children that may answer the calls that an event ends. Calls to other agents have no child. */
  possibleChildren({ type, key }: Event): readonly string[] {
    if (type === 'call.ended') return this.#calls.possibleChildren(text(key));
    return type === 'instance.ended' ? this.#calls.possibleChildren() : [];
  }

  /** @param line the journal line of the event */
  apply({ at, source, event }: Pick<HostEvent, 'at' | 'source' | 'event'>, line: number): Traced {
    const traced: Traced = { spans: [], measurements: [] };
    if (line <= this.#line) return traced;
    this.#line = line;
    this.#root ??= this.#begin(line, at);
    this.#handle(source, event, { at, line }, traced);
    // Earlier events belong to the original of a fork, which has its own trace. Creation times can have fractions of a
    // millisecond.
    return at < Math.floor(this.#instance.createdAt) ? { spans: [], measurements: [] } : traced;
  }

  #begin(line: number, at: number): OpenSpan {
    const { id, definition, kind, parent, input } = this.#instance;
    const isWorkflow = kind === 'workflow';
    const operation = isWorkflow ? 'invoke_workflow' : 'invoke_agent';
    return this.#spans.start(line, {
      type: 'instance',
      key: '',
      name:
        kind === 'lifecycle' ? `lifecycle ${definition.name}` : `${operation} ${definition.name}`,
      parent,
      at,
      attributes: {
        ...(kind === 'lifecycle' ? {} : { [names.operation]: operation }),
        [isWorkflow ? names.workflow : names.agent]: definition.name,
        ...commonAttributes(this.#instance),
        'dramaturg.definition.version': definition.version,
        ...this.#context.content.attribute(id, 'dramaturg.input', input),
      },
    });
  }

  #handle(source: HostEvent['source'], event: Event, when: When, traced: Traced): void {
    if (source === 'lifecycle') this.#handleLifecycle(event, when, traced);
    else if (source === 'host') this.#handleHost(event, when, traced);
    else this.#handleFlow(event, when, traced);
  }

  #handleLifecycle(event: Event, { at, line }: When, traced: Traced): void {
    switch (event.type) {
      case 'turn.started':
        return this.#turns.start(event, { at, line }, this.#root!.context);
      case 'turn.aborted':
        return this.#turns.end(event, 'aborted', at, traced);
      case 'message.recorded':
        if (event['role'] === 'contact') this.#turns.receive(event['text']);
        return;
      case 'message.send.requested':
        return void this.#deliveries.start(event, { at, line }, this.#parent);
      case 'instance.ended':
        return this.#end(event, at, traced);
      case 'state.entered':
        if (this.#instance.kind === 'lifecycle')
          return this.#transitions.enter(event, { at, line }, this.#parent, traced);
        addEvent(this.#root!, 'lifecycle.state', at, { 'dramaturg.state': text(event['state']) });
    }
  }

  #handleHost(event: Event, { at, line }: When, traced: Traced): void {
    switch (event.type) {
      case 'call.started': {
        const states = this.#transitions;
        return this.#calls.start(event, { at, line }, this.#parent, states);
      }
      case 'call.ended':
        return this.#calls.end(event, at, traced);
      case 'usage.recorded':
        return this.#calls.count(event, traced);
      case 'turn.attempt.failed':
        return this.#calls.retry(event, at, traced);
      case 'turn.ended':
        return this.#turns.end(event, text(event['outcome']), at, traced);
      case 'message.delivered':
      case 'message.rejected':
        return this.#deliveries.end(event, { at, line }, this.#parent, traced);
      case 'trace.linked':
        if (event['of'] !== 'start') return this.#turns.link(event, at);
        return addLink(this.#root!.links, event);
      case 'instance.forked':
        this.#spans.beginAgain(line, at);
        Object.assign(this.#root!.attributes, {
          'dramaturg.forked.from': text(event['from']),
          'dramaturg.forked.step': Number(event['step']),
        });
    }
  }

  #handleFlow(event: Event, { at, line }: When, traced: Traced): void {
    const { content } = this.#context;
    const { id } = this.#instance;
    this.#failure = standingFailure(this.#failure, event);
    switch (event.type) {
      case 'state.entered':
        return this.#transitions.enter(event, { at, line }, this.#parent, traced);
      case 'state.failed':
        this.#transitions.fail(event);
        break;
      case 'state.exited':
        return this.#transitions.exit(event, at, traced);
      case 'message.sent':
        return this.#turns.send(event['text']);
      case 'usage.recorded':
        return this.#calls.count(event, traced);
      case 'workflow.ended':
        if (event['status'] !== 'succeeded')
          this.#root!.error = {
            type: text(event['error']) || text(event['status']),
            ...content.message(id, event['cause']),
          };
        Object.assign(
          this.#root!.attributes,
          content.attribute(id, 'dramaturg.output', event['output']),
          this.#failedState(event),
        );
        return;
      case 'conversation.ended':
        Object.assign(this.#root!.attributes, {
          'dramaturg.outcome': text(event['outcome']),
          ...content.attribute(id, 'dramaturg.output', event['deliverables']),
        });
        return;
      case 'task.retried':
        traced.measurements.push(retryOf(this.#instance, 'runAgent'));
    }
    this.#note(event, at);
  }

  /** The state in which a workflow has failed, and its position in the source. */
  #failedState(output: Event): Attributes {
    const state = failureOfOutput(this.#failure, output)?.state;
    return state === undefined
      ? {}
      : { 'dramaturg.state': state, ...this.#instance.sources?.state(state) };
  }

  /** Other events of a flow are events of the span in which they happen. */
  #note({ type, ...fields }: Event, at: number): void {
    const state = text(fields['state']);
    const span = this.#transitions.latest(state) ?? this.#turns.open ?? this.#root!;
    addEvent(span, type, at, {
      ...(state === '' ? {} : { 'dramaturg.state': state }),
      ...this.#context.content.attribute(this.#instance.id, 'dramaturg.event', fields),
    });
  }

  /** Open calls end with their instance. */
  #end(event: Event, at: number, traced: Traced): void {
    this.#hasEnded = true;
    this.#calls.endAll(at, traced);
    this.#turns.end(event, 'ended', at, traced);
    this.#transitions.endAll(at, traced);
    const root = this.#root!;
    root.attributes['dramaturg.instance.state'] = text(event['state']);
    if (typeof event['failure_reason'] === 'string')
      root.error ??= {
        type: 'instance.failed',
        ...this.#context.content.message(this.#instance.id, event['failure_reason']),
      };
    traced.spans.push(this.#spans.end(root, at));
  }

  get #parent(): SpanContext {
    return (this.#turns.open ?? this.#root!).context;
  }
}

/** The spans of the messages of one instance, each until its channel has accepted or rejected it. */
class DeliverySpans extends InstanceSpans {
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
