import type { PortInput, PortName } from '@dramaturg/compiler';
import { chartOf, isMachine } from './chart.ts';
import type {
  InspectedCall,
  InspectedEvent,
  InspectedSnapshot,
  ItemProgress,
  TakenTransition,
} from './events.ts';

/** Copies inspection events to plain JSON that does not change later. */
export class Copies {
  readonly #plain = new Plain();
  readonly #definitions = new WeakMap<object, string>();
  #lastEvent: unknown;
  #lastCopy: InspectedEvent = { type: '' };
  #lastWeight = 0;
  #weight = 0;

  /** The approximate number of characters copied since the last call. */
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

  /** A sent event. The same object may have been sent before with other content. */
  sent(event: unknown): InspectedEvent {
    this.#lastEvent = undefined;
    return this.event(event);
  }

  event(event: unknown): InspectedEvent {
    // XState reports the same event object several times: it is copied once.
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
    const { status, value, context, output, error, tags, work, _nodes } = Object(snapshot) as {
      readonly [field: string]: unknown;
      readonly _nodes?: readonly InspectedNode[];
    };
    const items = itemsIn(work);
    const copy = (field: string, part: unknown) =>
      part === undefined ? {} : { [field]: this.copy(part) };
    return {
      ...copy('status', status),
      ...copy('value', value),
      ...copy('context', context),
      ...copy('output', output),
      ...copy('error', error),
      ...(tags instanceof Set && tags.size > 0 ? { tags: [...tags].map(String) } : {}),
      ...(items ? { items } : {}),
      ...(_nodes ? { nodes: _nodes.map(({ id }) => id), origins: originsOf(_nodes) } : {}),
    };
  }

  /** The port call of an actor, if it makes one. Other actors may also have the name of a port. */
  call(src: string, input: unknown, logic: unknown): InspectedCall | undefined {
    const fields: Readonly<Record<string, unknown>> = Object(input);
    const { key } = fields;
    if (typeof key !== 'string' || isMachine(logic) || !Object.hasOwn(ports, src)) return undefined;
    if (!ports[src as PortName].every((field) => field in fields)) return undefined;
    return { port: src, key, input: this.copy(input) };
  }

  /** The chart of a machine, as a JSON string; undefined for an actor without a machine. */
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

/** The ports, with the fields of their input except the key. Spec: the schemas of the compiler's contract */
const ports: { readonly [Name in PortName]: readonly (keyof PortInput<Name>)[] } = {
  reply: ['transcript', 'prompt'],
  choose: ['transcript', 'prompt', 'options'],
  extract: ['transcript', 'prompt', 'schema'],
  think: ['transcript', 'prompt'],
  validate: ['name', 'value', 'values'],
  transcribe: ['attachment'],
  recall: ['transcript', 'queries'],
  remember: ['name', 'value'],
  callTool: ['tool', 'arguments'],
  runAgent: ['agent', 'input'],
  requestDecision: ['prompt', 'options'],
  saveCheckpoint: ['name'],
  countSpending: ['cost', 'accounts'],
  timer: ['at'],
};

/** The progress of a supervisor of items, from the work in its snapshot. Spec: `EachLogic` of the compiler */
function itemsIn(work: unknown): ItemProgress | undefined {
  const { input, next, running } = Object(work) as {
    readonly input?: { readonly items?: unknown };
    readonly next?: unknown;
    readonly running?: unknown;
  };
  if (!Array.isArray(input?.items) || typeof next !== 'number' || !(running instanceof Map))
    return undefined;
  return { ended: next - running.size, total: input.items.length };
}

interface InspectedNode {
  readonly id: string;
  readonly type: string;
  readonly meta?: { readonly origin?: readonly (string | number)[] };
  readonly parent?: InspectedNode;
}

/** The origins of the innermost active nodes: their own, or that of the nearest ancestor. */
function originsOf(nodes: readonly InspectedNode[]): NonNullable<InspectedSnapshot['origins']> {
  return nodes
    .filter(({ type }) => type === 'atomic' || type === 'final')
    .flatMap((node) => {
      let at: InspectedNode | undefined = node;
      while (at && !at.meta?.origin) at = at.parent;
      // The origin of the whole definition is left out.
      return at?.meta?.origin && at.parent ? [at.meta.origin] : [];
    });
}

export function takenOf(transition: unknown): TakenTransition {
  const { source, target, guard, meta } = transition as {
    readonly source: { readonly id: string };
    readonly target?: readonly { readonly id: string }[];
    readonly guard?: unknown;
    readonly meta?: { readonly origin?: readonly (string | number)[] };
  };
  const named = typeof guard === 'string' ? guard : (Object(guard) as { type?: unknown }).type;
  return {
    from: source.id,
    to: target?.map(({ id }) => id) ?? [],
    ...(typeof named === 'string' ? { guard: named } : {}),
    ...(meta?.origin ? { origin: meta.origin } : {}),
  };
}

/** The maximum number of characters of a value. The remainder is replaced by a note. */
const usualRoom = 200_000;
const usualDepth = 16;
const longestText = 20_000;

/** The weight of an object or list in addition to its strings. */
const partWeight = 8;

interface PlainOptions {
  /** The maximum number of characters. */
  readonly room?: number;
  readonly deepest?: number;
}

/**
 * Copies any value to plain JSON. Values that JSON cannot represent become strings. Cycles and large values are cut, so that no
 * value can exhaust memory.
 */
class Plain {
  readonly #room: number;
  readonly #deepest: number;
  #left = 0;
  /** The ancestors of the object being copied, from the outside in. */
  #around: object[] = [];

  constructor({ room = usualRoom, deepest = usualDepth }: PlainOptions = {}) {
    this.#room = room;
    this.#deepest = deepest;
  }

  /** @returns the copy and its approximate number of characters */
  copy(value: unknown): { readonly value: unknown; readonly weight: number } {
    this.#left = this.#room;
    this.#around = [];
    const copy = this.#copy(value);
    return { value: copy, weight: this.#room - this.#left };
  }

  #copy(value: unknown): unknown {
    this.#left -= partWeight;
    switch (typeof value) {
      case 'string':
        return this.#copyText(value);
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'boolean':
      case 'undefined':
        return value;
      case 'object':
        return value === null ? null : this.#copyObject(value);
      case 'function':
        return `(function ${value.name || 'without a name'})`;
      default:
        return String(value);
    }
  }

  #copyText(text: string): string {
    this.#left -= Math.min(text.length, longestText);
    return text.length > longestText
      ? `${text.slice(0, longestText)}… (${text.length} characters)`
      : text;
  }

  #copyObject(value: object): unknown {
    const around = this.#around;
    if (around.includes(value)) return '(itself)';
    if (around.length >= this.#deepest) return '(nested more deeply)';
    if (this.#left <= 0) return '(more than is kept)';
    const { length } = around;
    around.push(value);
    try {
      return this.#copyParts(value);
    } catch (error) {
      // A getter or toJSON of the user may throw. Inspecting must not break the inspected program.
      return `(unreadable: ${String(error)})`;
    } finally {
      around.length = length;
    }
  }

  #copyParts(value: object): unknown {
    if (isActor(value)) return { actor: value.id, sessionId: value.sessionId };
    if (value instanceof Error) {
      const { name, message, cause, ...rest } = value as Error & Record<string, unknown>;
      const parts = { name, message, ...(cause === undefined ? {} : { cause }), ...rest };
      return this.#copyFields(parts);
    }
    if (value instanceof Map) return this.#copyItems([...value.entries()]);
    if (value instanceof Set) return this.#copyItems([...value]);
    if (Array.isArray(value)) return this.#copyItems(value);
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.#copy(value.toJSON());
    return this.#copyFields(value);
  }

  #copyItems(items: readonly unknown[]): unknown[] {
    const kept: unknown[] = [];
    for (const item of items) {
      if (this.#left <= 0) {
        kept.push(`(${items.length - kept.length} more)`);
        break;
      }
      kept.push(this.#copy(item) ?? null);
    }
    return kept;
  }

  #copyFields(value: object): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (this.#left <= 0) {
        copy['…'] = '(more than is kept)';
        break;
      }
      const part = this.#copy((value as Record<string, unknown>)[key]);
      // Undefined is left out, as in JSON. No key may reach a prototype.
      if (part === undefined || key === '__proto__') continue;
      this.#left -= key.length;
      copy[key] = part;
    }
    return copy;
  }
}

function isActor(value: object): value is { readonly id: string; readonly sessionId: string } {
  return 'sessionId' in value && 'getSnapshot' in value && 'send' in value;
}
