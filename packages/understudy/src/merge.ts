import type { Json, JsonObject } from '@dramaturg/compiler';
import { isObject } from './schema.ts';

export interface Entry {
  readonly path: readonly string[];
  readonly value: Json;
}

/** Builds an object with each value at its path. Keys come from schemas, so `__proto__` is a key like any other. */
export function assemble(entries: readonly Entry[]): JsonObject {
  const byKey = new Map<string, Entry[]>();
  for (const { path, value } of entries) {
    const [key, ...rest] = path;
    if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), { path: rest, value }]);
  }
  return Object.fromEntries(
    [...byKey].map(([key, inner]) => [
      key,
      inner.find(({ path }) => path.length === 0)?.value ?? assemble(inner),
    ]),
  );
}

/** Merges two objects recursively. The second one takes precedence. */
export function merge(first: JsonObject, second: JsonObject): JsonObject {
  const values = new Map<string, Json>(Object.entries(first));
  for (const [key, value] of Object.entries(second)) {
    const before = values.get(key);
    values.set(key, isObject(before) && isObject(value) ? merge(before, value) : value);
  }
  return Object.fromEntries(values);
}
