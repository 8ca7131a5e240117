import { type Attributes, type Link, type SpanContext, TraceFlags } from '@opentelemetry/api';
import { attributes as names, type OpenSpan } from './span.ts';
import { InstanceSpans } from './open-spans.ts';
import { type Event, text, type Traced, type When } from './traced.ts';

/** Maximum number of texts of one turn that are exported. */
const textsMax = 100;
/** Maximum number of links of one span. */
const linksMax = 128;

/** The spans of the turns of one instance, one at a time. */
export class TurnSpans extends InstanceSpans {
  /** Texts of the contact that wait for a turn, and those of the running turn. */
  #received: string[] = [];
  #sent: string[] = [];
  /** Links to the requests whose messages the next turn takes. */
  #links: Link[] = [];

  get open(): OpenSpan | undefined {
    return this.spans.get('turn', '');
  }

  start(event: Event, { at, line }: When, parent: SpanContext): void {
    const kind = text(event['kind']);
    const turn = this.spans.start(line, {
      type: 'turn',
      key: '',
      name: `turn ${kind}`,
      parent,
      at,
      attributes: {
        ...this.common,
        'dramaturg.turn': text(event['turn']),
        'dramaturg.turn.kind': kind,
        'dramaturg.turn.messages': Number(event['messages']),
        ...this.#messages(names.inputMessages, 'user', this.#received),
      },
    });
    turn.links.push(...this.#links);
    this.#links = [];
    this.#received = [];
    this.#sent = [];
  }

  end(event: Event, outcome: string, at: number, traced: Traced): void {
    const turn = this.open;
    if (!turn) return;
    Object.assign(turn.attributes, {
      'dramaturg.turn.outcome': outcome,
      ...this.#messages(names.outputMessages, 'assistant', this.#sent),
    });
    if (outcome === 'failed')
      turn.error = {
        type: 'turn.failed',
        ...this.context.content.message(this.instance.id, event['because']),
      };
    const attributes = {
      'dramaturg.definition': this.instance.definition.name,
      'dramaturg.turn.kind': text(turn.attributes['dramaturg.turn.kind']),
      'dramaturg.turn.outcome': outcome,
    };
    const seconds = Math.max(0, at - turn.startedAt) / 1000;
    traced.measurements.push(
      { instrument: 'dramaturg.turns', value: 1, attributes },
      { instrument: 'dramaturg.turn.duration', value: seconds, attributes },
    );
    traced.spans.push(this.spans.end(turn, at));
  }

  /** Notes a message of the contact, for the turn that takes it. */
  receive(message: unknown): void {
    this.#keep(this.#received, message);
  }

  /** Notes a message of the agent. */
  send(message: unknown): void {
    this.#keep(this.#sent, message);
  }

  /** A message that begins a turn is stored in the same step. Others wait for the next turn. */
  link(event: Event, at: number): void {
    const turn = this.open;
    addLink(turn?.startedAt === at ? turn.links : this.#links, event);
  }

  #messages(attribute: string, role: string, texts: readonly string[]): Attributes {
    if (texts.length === 0) return {};
    const messages = texts.map((content) => ({ role, parts: [{ type: 'text', content }] }));
    return this.context.content.attribute(this.instance.id, attribute, messages);
  }

  #keep(texts: string[], given: unknown): void {
    if (this.context.content.isOn && typeof given === 'string' && texts.length < textsMax)
      texts.push(given);
  }
}

export function addLink(links: Link[], event: Event): void {
  if (links.length < linksMax) links.push(linkTo(text(event['traceparent'])));
}

/** Writes a span's context for other services. Spec: W3C Trace Context, section 3.2 */
export function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/**
 * Links to a span of another service. That span is not the parent, because an instance outlives the request that started it, and
 * one turn may answer several messages. Spec: OpenTelemetry, Semantic conventions for messaging spans
 *
 * @param traceparent checked by the host
 */
function linkTo(traceparent: string): Link {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  return { context: { traceId, spanId, traceFlags, isRemote: true } };
}
