/** A JSON value: charts, snapshots, and the inputs and outputs of ports consist of it. */
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
