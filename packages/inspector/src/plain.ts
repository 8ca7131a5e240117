/** Characters of one value that are kept; what is beyond is named and left out. */
const usualRoom = 200_000;
const usualDepth = 16;
const longestText = 20_000;

/** What an object or a list weighs besides its texts. */
const partWeight = 8;

export interface PlainOptions {
  /** How much is kept, in characters. */
  readonly room?: number;
  readonly deepest?: number;
}

/**
 * Copies of anything as plain JSON data: what JSON cannot say is put into words, cycles are cut, and what is large is cut
 * short, so that no value can make an inspector grow without bound.
 */
export class Plain {
  readonly #room: number;
  readonly #deepest: number;
  #left = 0;

  constructor({ room = usualRoom, deepest = usualDepth }: PlainOptions = {}) {
    this.#room = room;
    this.#deepest = deepest;
  }

  /** @returns the copy, and how many characters it has about */
  copy(value: unknown): { readonly value: unknown; readonly weight: number } {
    this.#left = this.#room;
    const copy = this.#copy(value, []);
    return { value: copy, weight: this.#room - this.#left };
  }

  #copy(value: unknown, above: readonly object[]): unknown {
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
        return value === null ? null : this.#copyObject(value, above);
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

  #copyObject(value: object, above: readonly object[]): unknown {
    if (above.includes(value)) return '(itself)';
    if (above.length >= this.#deepest) return '(nested more deeply)';
    if (this.#left <= 0) return '(more than is kept)';
    try {
      return this.#copyParts(value, [...above, value]);
    } catch (error) {
      // A getter or a toJSON of the user's own may throw; looking on must not break what is looked at.
      return `(unreadable: ${String(error)})`;
    }
  }

  #copyParts(value: object, above: readonly object[]): unknown {
    if (isActor(value)) return { actor: value.id, sessionId: value.sessionId };
    if (value instanceof Error) {
      const { name, message, cause, ...rest } = value as Error & Record<string, unknown>;
      const parts = { name, message, ...(cause === undefined ? {} : { cause }), ...rest };
      return this.#copyFields(parts, above);
    }
    if (value instanceof Map) return this.#copyItems([...value.entries()], above);
    if (value instanceof Set) return this.#copyItems([...value], above);
    if (Array.isArray(value)) return this.#copyItems(value, above);
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return this.#copy(value.toJSON(), above);
    return this.#copyFields(value, above);
  }

  #copyItems(items: readonly unknown[], above: readonly object[]): unknown[] {
    const kept: unknown[] = [];
    for (const item of items) {
      if (this.#left <= 0) {
        kept.push(`(${items.length - kept.length} more)`);
        break;
      }
      kept.push(this.#copy(item, above) ?? null);
    }
    return kept;
  }

  #copyFields(value: object, above: readonly object[]): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (this.#left <= 0) {
        copy['…'] = '(more than is kept)';
        break;
      }
      const part = this.#copy((value as Record<string, unknown>)[key], above);
      // As JSON does; and no key may reach a prototype.
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
