import { isSecretField, knownFragments, redacted, withoutFragments } from './secrets.ts';

/** Deeper parts of an error, and parts beyond this number, are left out of its copy. */
const deepest = 8;
const partsMax = 2_000;

/**
 * Returns the error without secrets in its message, stack, causes and fields. An error without secrets is returned unchanged.
 * Otherwise the result is a copy of the same class. In the copy, clients' own objects (headers, requests, sockets) are only
 * named, because they can contain secrets that no copy finds.
 */
export function errorWithoutSecrets(error: unknown): unknown {
  const copy = new Copy();
  const result = copy.of(error, 0);
  return copy.differs ? result : error;
}

/** Copies one error, and knows whether the copy differs. */
class Copy {
  /** Whether anything was left out or replaced. */
  differs = false;
  readonly #copies = new Map<object, unknown>();
  readonly #known = knownFragments();

  of(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    if (depth > deepest || this.#copies.size >= partsMax) return this.#leftOut('…');
    if (value instanceof Error) return this.#error(value, depth);
    if (Array.isArray(value)) return this.#list(value, depth);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return this.#record(value, depth);
    return this.#leftOut(`[${value.constructor?.name ?? 'object'}]`);
  }

  #text(text: string): string {
    const result = withoutFragments(text, this.#known);
    if (result !== text) this.differs = true;
    return result;
  }

  #leftOut(name: string): string {
    this.differs = true;
    return name;
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    this.#copies.set(list, copy);
    for (const item of list) copy.push(this.of(item, depth + 1));
    return copy;
  }

  #record(record: object, depth: number): object {
    const copy = {};
    this.#copies.set(record, copy);
    this.#fields(record, copy, depth);
    return copy;
  }

  #error(error: Error, depth: number): Error {
    const copy = new Error(this.#text(error.message));
    this.#copies.set(error, copy);
    // Errors of the system have these two as getters of their class, which do not work for a copy.
    const { name, stack = '' } = error;
    const { code } = error as { readonly code?: unknown };
    define(copy, 'stack', this.#text(stack));
    if (!Object.hasOwn(error, 'name')) define(copy, 'name', name);
    if (!Object.hasOwn(error, 'code') && code !== undefined) define(copy, 'code', code);
    Object.setPrototypeOf(copy, Object.getPrototypeOf(error) as object);
    this.#fields(error, copy, depth);
    return copy;
  }

  #fields(from: object, copy: object, depth: number): void {
    for (const key of Reflect.ownKeys(from)) {
      if (key === 'stack' || (key === 'message' && from instanceof Error)) continue;
      const field = Object.getOwnPropertyDescriptor(from, key)!;
      if (!('value' in field)) {
        this.differs = true;
        continue;
      }
      const isSecret = typeof key === 'string' && isSecretField(key);
      const value =
        isSecret && typeof field.value === 'string'
          ? this.#leftOut(redacted)
          : this.of(field.value, depth + 1);
      define(copy, key, value, field.enumerable);
    }
  }
}

function define(target: object, key: PropertyKey, value: unknown, enumerable = false): void {
  Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
}
