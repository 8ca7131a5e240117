import { childId } from '@dramaturg/host/engine';
import { type Attributes, type SpanContext, SpanKind } from '@opentelemetry/api';
import { InstanceSpans } from './open-spans.ts';
import {
  addEvent,
  attributes as names,
  type Measurement,
  type OpenSpan,
  type SpanType,
} from './span.ts';
import {
  type Event,
  text,
  type TraceContext,
  type Traced,
  type TracedInstance,
  type When,
} from './traced.ts';
import type { TransitionSpans } from './transition-spans.ts';

const callTypes = ['call', 'decision'] as const;

/** The spans of the calls of one instance: to models, tools, agents, children and people. */
export class CallSpans extends InstanceSpans {
  /** The state in which each open call was made, and the id of the call in the chart. */
  readonly #places = new Map<OpenSpan, { readonly state: OpenSpan; readonly invocation: string }>();

  start(event: Event, { at, line }: When, turn: SpanContext, states: TransitionSpans): void {
    const { sources } = this.instance;
    const { port, key, name, decision, invocation } = event;
    const form = callForm({
      port: text(port),
      key: text(key),
      name: optional(name),
      decision: optional(decision),
    });
    const call = text(invocation);
    const part = sources?.call(call === '' ? undefined : call);
    const state = this.#stateOf(states, part?.state, call);
    const isWorkflow = this.instance.kind === 'workflow';
    const span = this.spans.start(line, {
      ...form,
      key: text(key),
      parent: isWorkflow && state ? state.context : turn,
      at,
      attributes: {
        ...form.attributes,
        ...this.common,
        ...(state ? { 'dramaturg.state': state.attributes['dramaturg.state'] } : {}),
        ...(part?.attributes ??
          (state ? sources?.state(text(state.attributes['dramaturg.state'])) : {})),
        ...(form.attributes[names.operation] === 'chat'
          ? { [names.provider]: this.context.provider }
          : {}),
      },
    });
    if (state) this.#places.set(span, { state, invocation: call });
  }

  end(event: Event, at: number, traced: Traced): void {
    const span = this.#get(text(event['key']));
    if (!span) return;
    const outcome = text(event['outcome']);
    span.attributes['dramaturg.call.outcome'] = outcome;
    if (typeof event['decision'] === 'string')
      span.attributes['dramaturg.decision.option'] = event['decision'];
    if (outcome === 'failed')
      span.error = {
        type: text(event['error']) || 'error',
        ...this.context.content.message(this.instance.id, event['because']),
      };
    this.#finish(span, at, traced);
  }

  /** Adds the consumption of a call. Without a key, an agent has reported its own. */
  count(event: Event, { measurements }: Traced): void {
    const usage = usageOf(event);
    const span = this.#get(text(event['key']));
    if (span) {
      Object.assign(span.attributes, usage.attributes);
      if (usage.model !== undefined && span.name === 'chat') span.name = `chat ${usage.model}`;
    }
    measurements.push(...consumptionOf(event, usage, this.instance, this.context));
  }

  retry(event: Event, at: number, { measurements }: Traced): void {
    const span = this.#get(text(event['key']));
    const { id } = this.instance;
    const { message } = this.context.content.message(id, event['because']);
    if (span) {
      span.attributes['dramaturg.call.retries'] = Number(event['attempt']);
      addEvent(span, 'retry', at, {
        'dramaturg.call.attempt': Number(event['attempt']),
        'dramaturg.call.retry_at': Number(event['retry_at']),
        ...(message === undefined ? {} : { 'error.message': message }),
      });
    }
    measurements.push(retryOf(this.instance, text(event['port'])));
  }

  endAll(at: number, traced: Traced): void {
    for (const span of callTypes.flatMap((type) => this.spans.ofType(type))) {
      span.attributes['dramaturg.call.outcome'] = 'abandoned';
      this.#finish(span, at, traced);
    }
  }

  contextOf(key: string): SpanContext | undefined {
    return this.#get(key)?.context;
  }

  /** The open call that a child answers, found by the child's id. */
  ofChild(child: string): OpenSpan | undefined {
    const call = this.spans.ofType('call').find((span) => this.#childOf(span) === child);
    if (call) call.attributes['dramaturg.child'] = child;
    return call;
  }

  /** Ids of children that may answer calls whose child is not known: of the call `key`, or of all open calls. */
  possibleChildren(key?: string): readonly string[] {
    const calls =
      key === undefined ? this.spans.ofType('call') : [this.spans.get('call', key) ?? []].flat();
    return calls
      .filter(({ attributes }) => attributes['dramaturg.child'] === undefined)
      .flatMap((span) => this.#childOf(span) ?? []);
  }

  #childOf({ attributes }: OpenSpan): string | undefined {
    if (attributes['dramaturg.port'] !== 'runAgent') return undefined;
    return childId(this.instance.id, { key: text(attributes['dramaturg.call.key']) });
  }

  #finish(span: OpenSpan, at: number, traced: Traced): void {
    this.#places.delete(span);
    traced.measurements.push(...durationOf(span, at, this.instance, this.context));
    traced.spans.push(this.spans.end(span, at));
  }

  /**
   * The state in which a call was made. If several items are in it, they have made their calls in the order in which they entered
   * it.
   */
  #stateOf(
    states: TransitionSpans,
    state: string | undefined,
    invocation: string,
  ): OpenSpan | undefined {
    const found = states.all(state);
    if (state === undefined) return found.length === 1 ? found[0] : undefined;
    const calling = new Set<OpenSpan>();
    for (const each of this.#places.values())
      if (each.invocation === invocation) calling.add(each.state);
    return found.find((each) => !calling.has(each)) ?? found.at(-1);
  }

  #get(key: string): OpenSpan | undefined {
    for (const type of callTypes) {
      const span = this.spans.get(type, key);
      if (span) return span;
    }
    return undefined;
  }
}

function optional(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Measurements of the calls of an instance. */

type Definition = Pick<TracedInstance, 'definition'>;
type Provider = Pick<TraceContext, 'provider'>;

/** The tokens and the cost that a call has reported. */
function consumptionOf(
  event: Event,
  { model, inputTokens, outputTokens, cost }: ReturnType<typeof usageOf>,
  { definition }: Definition,
  { provider }: Provider,
): Measurement[] {
  const attributes = {
    [names.operation]: operationOf(text(event['port'])) ?? 'invoke_agent',
    [names.provider]: provider,
    'dramaturg.definition': definition.name,
    ...(model === undefined ? {} : { [names.responseModel]: model }),
  };
  const tokens = Object.entries({ input: inputTokens, output: outputTokens }).map(
    ([type, value]): Measurement => ({
      instrument: 'gen_ai.client.token.usage',
      value,
      attributes: { ...attributes, [names.tokenType]: type },
    }),
  );
  const all: Measurement[] = [...tokens, { instrument: 'dramaturg.cost', value: cost, attributes }];
  return all.filter(({ value }) => value > 0);
}

/** The duration of a call that has an operation or was a decision. */
function durationOf(
  span: OpenSpan,
  at: number,
  { definition }: Definition,
  { provider }: Provider,
): Measurement[] {
  const value = Math.max(0, at - span.startedAt) / 1000;
  const common = { 'dramaturg.definition': definition.name };
  const operation = span.attributes[names.operation];
  const model = span.attributes[names.responseModel];
  if (operation !== undefined)
    return [
      {
        instrument: 'gen_ai.client.operation.duration',
        value,
        attributes: {
          ...common,
          ...(span.error ? { [names.errorType]: span.error.type } : {}),
          [names.operation]: operation,
          [names.provider]: provider,
          ...(model === undefined ? {} : { [names.responseModel]: model }),
        },
      },
    ];
  if (span.type !== 'decision') return [];
  const outcome = text(span.attributes['dramaturg.call.outcome']);
  return [
    {
      instrument: 'dramaturg.decision.duration',
      value,
      attributes: { ...common, 'dramaturg.call.outcome': outcome },
    },
  ];
}

/** Measures a repeated call of a port. */
export function retryOf({ definition }: Definition, port: string): Measurement {
  const attributes = { 'dramaturg.definition': definition.name, 'dramaturg.port': port };
  return { instrument: 'dramaturg.call.retries', value: 1, attributes };
}

interface StartedCall {
  readonly port: string;
  readonly key: string;
  /** The name of the agent or the tool. */
  readonly name: string | undefined;
  readonly decision: string | undefined;
}

interface CallForm {
  readonly type: SpanType;
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Attributes;
}

/** Ports that ask a model. */
const chats: ReadonlySet<string> = new Set(['reply', 'choose', 'extract', 'think']);

/** The operation name in the conventions for a call of a port; undefined for other ports. */
function operationOf(port: string): string | undefined {
  if (chats.has(port)) return 'chat';
  if (port === 'callTool') return 'execute_tool';
  return port === 'runAgent' ? 'invoke_agent' : undefined;
}

/** The name, the kind and the initial attributes of a call's span. */
function callForm({ port, key, name, decision }: StartedCall): CallForm {
  const operation = operationOf(port);
  const form = (title: string, kind: SpanKind, more: Attributes = {}): CallForm => ({
    type: decision === undefined || operation !== undefined ? 'call' : 'decision',
    name: title,
    kind,
    attributes: {
      'dramaturg.port': port,
      'dramaturg.call.key': key,
      ...(operation === undefined ? {} : { [names.operation]: operation }),
      ...more,
    },
  });
  const suffix = name === undefined ? '' : ` ${name}`;
  if (operation === 'chat') return form('chat', SpanKind.CLIENT);
  if (operation === 'execute_tool') {
    const tool = name === undefined ? {} : { [names.tool]: name };
    return form(`execute_tool${suffix}`, SpanKind.INTERNAL, { ...tool, [names.toolCall]: key });
  }
  if (operation === 'invoke_agent') {
    const agent = name === undefined ? {} : { [names.agent]: name };
    return form(`invoke_agent${suffix}`, SpanKind.CLIENT, agent);
  }
  if (decision === undefined) return form(port, SpanKind.INTERNAL);
  return form('decision', SpanKind.INTERNAL, { 'dramaturg.decision.id': decision });
}

/** The fields of `usage.recorded`. All are checked: an agent may report anything. */
interface CountedUsage {
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number;
  readonly attributes: Attributes;
}

function usageOf(event: Readonly<Record<string, unknown>>): CountedUsage {
  const { model, tokens, inputTokens, outputTokens = tokens, cost } = event;
  const { cachedInputTokens, reasoningTokens, requests } = event;
  const known = (name: string, value: unknown): Attributes =>
    typeof value === 'number' && Number.isFinite(value) ? { [name]: value } : {};
  return {
    model: typeof model === 'string' ? model : undefined,
    inputTokens: count(inputTokens),
    outputTokens: count(outputTokens),
    cost: count(cost),
    attributes: {
      ...(typeof model === 'string' ? { [names.responseModel]: model } : {}),
      ...known(names.inputTokens, inputTokens),
      ...known(names.outputTokens, outputTokens),
      ...known(names.cachedInputTokens, cachedInputTokens),
      ...known(names.reasoningTokens, reasoningTokens),
      ...known('dramaturg.cost', cost),
      ...known('dramaturg.requests', requests),
    },
  };
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
