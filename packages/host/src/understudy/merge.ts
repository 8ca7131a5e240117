import type { Json, JsonObject } from '@dramaturg/compiler';
import { isObject } from './schema.ts';

export interface Entry {
  readonly path: readonly string[];
  readonly value: Json;
}

/** The object that has each value at its path. Keys come from schemas: `__proto__` is a key like any other. */
export function assembled(entries: readonly Entry[]): JsonObject {
  const byKey = new Map<string, Entry[]>();
  for (const { path, value } of entries) {
    const [key, ...rest] = path;
    if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), { path: rest, value }]);
  }
  return Object.fromEntries(
    [...byKey].map(([key, inner]) => [
      key,
      inner.find(({ path }) => path.length === 0)?.value ?? assembled(inner),
    ]),
  );
}

/** Both objects in one, all the way down; where both say something, the second one counts. */
export function merged(first: JsonObject, second: JsonObject): JsonObject {
  const values = new Map<string, Json>(Object.entries(first));
  for (const [key, value] of Object.entries(second)) {
    const before = values.get(key);
    values.set(key, isObject(before) && isObject(value) ? merged(before, value) : value);
  }
  return Object.fromEntries(values);
}
