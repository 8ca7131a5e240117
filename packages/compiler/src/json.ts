/** What JSON can say; everything a chart, a snapshot, a port's input and a port's output is made of. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: Json;
}

/**
 * True of an object that is neither null nor an array.
 *
 * @example
 * ```ts
 * console.log([{}, [], null].map(isRecord)); // → [ true, false, false ]
 * ```
 */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
