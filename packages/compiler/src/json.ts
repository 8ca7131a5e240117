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

/** A place in a definition as authored: the keys and indexes that lead to it. */
export type Path = readonly (string | number)[];

/** `['states', 0, 'tasks']` is `states[0].tasks`; a key with other characters than a word is quoted. */
export function printPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** Orders paths as a reader meets them when positions are equal or unknown. */
export function comparePaths(a: Path, b: Path): number {
  return printPath(a).localeCompare(printPath(b), 'en', { numeric: true });
}
