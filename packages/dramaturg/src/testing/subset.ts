import { isRecord, type Json } from '@dramaturg/compiler';

/** A place in which a value differs from what is expected. */
export interface Mismatch {
  readonly path: readonly (string | number)[];
  readonly expected: unknown;
  readonly found: unknown;
}

/**
 * Compares a value with what is expected of it: an object may have further fields, a list is compared item by item, and `null` also
 * stands for a field that is absent.
 *
 * @returns the first difference, or undefined
 */
export function mismatch(
  expected: Json,
  found: unknown,
  path: Mismatch['path'] = [],
): Mismatch | undefined {
  if (isRecord(expected) && isRecord(found)) {
    for (const [key, value] of Object.entries(expected)) {
      const own = Object.hasOwn(found, key) ? found[key] : undefined;
      const difference = mismatch(value, own, [...path, key]);
      if (difference) return difference;
    }
    return undefined;
  }
  if (Array.isArray(expected) && Array.isArray(found)) {
    if (expected.length !== found.length) return { path, expected, found };
    for (const [index, value] of expected.entries()) {
      const difference = mismatch(value, found[index], [...path, index]);
      if (difference) return difference;
    }
    return undefined;
  }
  return expected === (found ?? null) ? undefined : { path, expected, found };
}
