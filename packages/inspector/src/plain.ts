/** The maximum number of characters of a value. The remainder is replaced by a note. */
const usualRoom = 200_000;
const usualDepth = 16;
const longestText = 20_000;

/** The weight of an object or list in addition to its strings. */
const partWeight = 8;

export interface PlainOptions {
  /** The maximum number of characters. */
  readonly room?: number;
  readonly deepest?: number;
}

/**
 * Copies any value to plain JSON. Values that JSON cannot represent become strings. Cycles and large values are cut, so that no
 * value can exhaust memory.
 */
export class Plain {
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
