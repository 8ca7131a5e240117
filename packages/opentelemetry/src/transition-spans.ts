import type { SpanContext } from '@opentelemetry/api';
import { InstanceSpans } from './open-spans.ts';
import { type Event, text, type Traced, type When } from './traced.ts';
import type { OpenSpan } from './span.ts';

/**
 * The spans of transitions: each lasts as long as the state that it has entered. A workflow can have several active states, and
 * leaving one is an event of its own. A conversation leaves its state when it enters the next one.
 */
export class TransitionSpans extends InstanceSpans {
  /** The state that was left last, by the position of its item. */
  readonly #left = new Map<string, string>();

  enter(event: Event, { at, line }: When, parent: SpanContext, traced: Traced): void {
    const state = text(event['state']);
    const place = placeOf(event);
    const { id, sources, kind } = this.instance;
    const isWorkflow = kind === 'workflow';
    if (!isWorkflow) this.endAll(at, traced);
    const from = text(event['from']) || this.#left.get(place);
    const around = isWorkflow ? this.#around(event) : undefined;
    this.spans.start(line, {
      type: 'transition',
      key: keyOf(state, place),
      name: `transition ${state}`,
      parent: around?.context ?? parent,
      at,
      attributes: {
        ...this.common,
        'dramaturg.state': state,
        ...(from === undefined ? {} : { 'dramaturg.state.from': from }),
        ...(place === '' ? {} : { 'dramaturg.state.place': place }),
        ...(typeof event['kind'] === 'string' ? { 'dramaturg.state.kind': event['kind'] } : {}),
        ...sources?.state(state),
        ...this.context.content.attribute(id, 'dramaturg.state.input', event['input']),
      },
    });
  }

  exit(event: Event, at: number, traced: Traced): void {
    const place = placeOf(event);
    const state = text(event['state']);
    const span = this.spans.get('transition', keyOf(state, place));
    if (!span) return;
    this.#left.set(place, state);
    const { id } = this.instance;
    Object.assign(
      span.attributes,
      this.context.content.attribute(id, 'dramaturg.state.output', event['output']),
    );
    traced.spans.push(this.spans.end(span, at));
  }

  /** A failed state is not left by an event of its own. */
  fail(event: Event): void {
    const span = this.spans.get('transition', keyOf(text(event['state']), placeOf(event)));
    if (!span) return;
    const because = this.context.content.message(this.instance.id, event['cause']);
    span.error = { type: text(event['error']) || 'failed', ...because };
  }

  endAll(at: number, traced: Traced): void {
    for (const span of this.spans.ofType('transition')) traced.spans.push(this.spans.end(span, at));
  }

  /** The spans of an active state, one for each item in it, the oldest first. */
  all(state: string | undefined): readonly OpenSpan[] {
    const open = this.spans.ofType('transition');
    return state === undefined
      ? open
      : open.filter(({ attributes }) => attributes['dramaturg.state'] === state);
  }

  latest(state: string): OpenSpan | undefined {
    return state === '' ? undefined : this.all(state).at(-1);
  }

  /** The state that runs the item in which a state is. */
  #around(event: Event): OpenSpan | undefined {
    const { place } = event;
    if (!Array.isArray(place) || place.length === 0) return undefined;
    const outer = place.slice(0, -1).join('.');
    return this.spans
      .ofType('transition')
      .findLast(({ attributes }) => (attributes['dramaturg.state.place'] ?? '') === outer);
  }
}

function placeOf({ place }: Event): string {
  return Array.isArray(place) ? place.join('.') : '';
}

function keyOf(state: string, place: string): string {
  return `${place}/${state}`;
}
