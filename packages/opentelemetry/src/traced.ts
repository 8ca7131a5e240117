import type { Chart, Json, Path } from '@dramaturg/compiler';
import type { ChartNode } from '@dramaturg/compiler/chart';
import type {
  Charts,
  EventFilter,
  HostEvent,
  InstanceSummary,
  InstanceView,
  StoredChart,
} from '@dramaturg/host';
import { locateIn } from '@dramaturg/host/engine';
import type { Attributes, SpanContext } from '@opentelemetry/api';
import {
  attributes,
  type Content,
  type EndedSpan,
  type Measurement,
  type Resource,
} from './span.ts';

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

/** A part of a definition: its state and its attributes. */
interface DefinitionPart {
  readonly state: string | undefined;
  readonly attributes: Attributes;
}

/** The positions of a chart's states and calls in the text of its definition. */
export class SourceMap {
  readonly #states = new Map<string, Path>();
  /** Positions of calls, by the id of the call. Null when several states have calls with the id. */
  readonly #calls = new Map<string, { readonly origin: Path; readonly state: string } | null>();
  /** Whether the chart accepts messages: that of a conversation. */
  converses = false;
  readonly #locate: ReturnType<typeof locateIn>;
  readonly #file: string | undefined;

  /** @param file the path of the definition, if it is known */
  constructor({ chart, source }: Pick<StoredChart, 'chart' | 'source'>, file: string | undefined) {
    this.#locate = locateIn(source);
    this.#file = file;
    this.#visit(chart, undefined);
  }

  state(name: string): Attributes {
    const origin = this.#states.get(name);
    return origin ? this.#attributesOf(origin) : {};
  }

  call(invocation: string | undefined): DefinitionPart | undefined {
    const found = invocation === undefined ? undefined : this.#calls.get(invocation);
    return found ? { state: found.state, attributes: this.#attributesOf(found.origin) } : undefined;
  }

  #attributesOf(origin: Path): Attributes {
    const position = this.#locate(origin);
    return {
      'dramaturg.definition.path': origin.join('.'),
      ...(this.#file === undefined ? {} : { [attributes.file]: this.#file }),
      ...(position
        ? { [attributes.line]: position.line, [attributes.column]: position.column }
        : {}),
    };
  }

  #visit(
    node: Chart | ChartNode,
    around: { readonly origin: Path; readonly state: string } | undefined,
  ): void {
    if (node.on && Object.hasOwn(node.on, 'message.received')) this.converses = true;
    const { origin, title, id } = node.meta ?? {};
    const names = [id, title].filter((name) => typeof name === 'string');
    const isState = origin !== undefined && origin.length > 0 && names.length > 0;
    if (isState)
      for (const name of names) if (!this.#states.has(name)) this.#states.set(name, origin);
    const here = isState ? { origin, state: names[0]! } : around;
    for (const { id: call, chart } of node.invoke ?? []) {
      if (here) this.#calls.set(call, this.#calls.has(call) ? null : here);
      if (chart) this.#visit(chart, here);
    }
    for (const child of Object.values(node.states ?? {})) this.#visit(child, here);
  }
}

/** The operations of a host that tracing uses. Every host has them: that of `createHost`, of the facade, and on Restate. */
export interface TracedHost {
  events(
    filter: Pick<EventFilter, 'after' | 'signal'>,
  ): AsyncIterable<Omit<HostEvent, 'event'> & { readonly event: { readonly type: string } }>;
  cursor(): Promise<string>;
  get(
    id: string,
  ): Promise<Pick<InstanceView, 'id' | 'definition' | 'createdAt' | 'parent' | 'input'>>;
  charts(id: string): Promise<Charts>;
  journal(
    id: string,
    range: { readonly from: number; readonly limit: number },
  ): Promise<readonly Json[]>;
  list(
    filter: { readonly state?: string; readonly ended?: boolean; readonly asks?: boolean },
    page: { readonly limit: number; readonly after?: string },
  ): Promise<{ readonly items: readonly InstanceSummary[]; readonly next?: string }>;
}
