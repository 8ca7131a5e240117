import type { PortInput, PortName } from '@dramaturg/compiler';
import { chartOf, isMachine } from './chart.ts';
import type {
  InspectedCall,
  InspectedEvent,
  InspectedSnapshot,
  TakenTransition,
} from './events.ts';
import { Plain } from './plain.ts';

/** What XState tells, as plain JSON that nobody changes afterwards. */
export class Copies {
  readonly #plain = new Plain();
  readonly #definitions = new WeakMap<object, string>();
  #lastEvent: unknown;
  #lastCopy: InspectedEvent = { type: '' };
  #lastWeight = 0;
  #weight = 0;

  /** How many characters have been given out since this was asked last, about. */
  takeWeight(): number {
    const weight = this.#weight;
    this.#weight = 0;
    return weight;
  }

  copy(value: unknown): unknown {
    const { value: copy, weight } = this.#plain.copy(value);
    this.#weight += weight;
    return copy;
  }

  /** An event that is sent: the same object may have been sent before, with something else in it. */
  sent(event: unknown): InspectedEvent {
    this.#lastEvent = undefined;
    return this.event(event);
  }

  event(event: unknown): InspectedEvent {
    // What comes of an event is told several times, with the same event: copied once, and written out each time.
    if (event === this.#lastEvent) {
      this.#weight += this.#lastWeight;
      return this.#lastCopy;
    }
    const { value: copy, weight } = this.#plain.copy(event);
    this.#weight += weight;
    this.#lastWeight = weight;
    const isEvent = typeof copy === 'object' && copy !== null && 'type' in copy;
    this.#lastEvent = event;
    this.#lastCopy = isEvent ? (copy as InspectedEvent) : { type: String(copy) };
    return this.#lastCopy;
  }

  snapshot(snapshot: unknown): InspectedSnapshot {
    const { status, value, context, output, error, tags, _nodes } = Object(snapshot) as {
      readonly [field: string]: unknown;
      readonly _nodes?: readonly InspectedNode[];
    };
    const copy = (field: string, part: unknown) =>
      part === undefined ? {} : { [field]: this.copy(part) };
    return {
      ...copy('status', status),
      ...copy('value', value),
      ...copy('context', context),
      ...copy('output', output),
      ...copy('error', error),
      ...(tags instanceof Set && tags.size > 0 ? { tags: [...tags].map(String) } : {}),
      ...(_nodes ? { nodes: _nodes.map(({ id }) => id), origins: originsOf(_nodes) } : {}),
    };
  }

  /** The call of a port that an actor makes, if it makes one: any other actor may have the name of a port as well. */
  call(src: string, input: unknown, logic: unknown): InspectedCall | undefined {
    const fields: Readonly<Record<string, unknown>> = Object(input);
    const { key } = fields;
    if (typeof key !== 'string' || isMachine(logic) || !Object.hasOwn(ports, src)) return undefined;
    if (!ports[src as PortName].every((field) => field in fields)) return undefined;
    return { port: src, key, input: this.copy(input) };
  }

  /** A machine as a chart, as JSON text; undefined for an actor that is none. */
  definition({ logic }: { readonly logic?: unknown }): string | undefined {
    if (!isMachine(logic)) return undefined;
    let text = this.#definitions.get(logic);
    if (text === undefined) {
      text = JSON.stringify(
        new Plain({ room: 4_000_000, deepest: 400 }).copy(chartOf(logic)).value,
      );
      this.#definitions.set(logic, text);
    }
    this.#weight += text.length;
    return text;
  }
}

/** The ports, with what their input has besides a key. Spec: the schemas of the compiler's contract */
const ports: { readonly [Name in PortName]: readonly (keyof PortInput<Name>)[] } = {
  reply: ['transcript', 'prompt'],
  choose: ['transcript', 'prompt', 'options'],
  extract: ['transcript', 'prompt', 'schema'],
  think: ['transcript', 'prompt'],
  recall: ['transcript', 'queries'],
  remember: ['name', 'value'],
  callTool: ['tool', 'arguments'],
  runAgent: ['agent', 'input'],
  requestDecision: ['prompt', 'options'],
  saveCheckpoint: ['name'],
  timer: ['at'],
};

interface InspectedNode {
  readonly id: string;
  readonly type: string;
  readonly meta?: { readonly origin?: readonly (string | number)[] };
  readonly parent?: InspectedNode;
}

/** Of the innermost nodes, which say most exactly where an actor stands: each has its own, or that of a node around it. */
function originsOf(nodes: readonly InspectedNode[]): NonNullable<InspectedSnapshot['origins']> {
  return nodes
    .filter(({ type }) => type === 'atomic' || type === 'final')
    .flatMap((node) => {
      let at: InspectedNode | undefined = node;
      while (at && !at.meta?.origin) at = at.parent;
      // That of the whole definition says nothing.
      return at?.meta?.origin && at.parent ? [at.meta.origin] : [];
    });
}

export function takenOf(transition: unknown): TakenTransition {
  const { source, target, guard } = transition as {
    readonly source: { readonly id: string };
    readonly target?: readonly { readonly id: string }[];
    readonly guard?: unknown;
  };
  const named = typeof guard === 'string' ? guard : (Object(guard) as { type?: unknown }).type;
  return {
    from: source.id,
    to: target?.map(({ id }) => id) ?? [],
    ...(typeof named === 'string' ? { guard: named } : {}),
  };
}
