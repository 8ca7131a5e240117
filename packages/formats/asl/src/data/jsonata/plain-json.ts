import type { Json, JsonObject } from '@dramaturg/compiler';
import { partsOf, setField } from './values.ts';
import type { Work } from '../work.ts';

/**
 * Copies a result as JSON, without the library's marks and without shared parts. Undefined when the result contains a
 * value that JSON lacks, such as a function.
 */
export function plainJson(value: unknown, work: Work): Json | undefined {
  if (typeof value === 'string') work.characters(value.length);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  // AWS shows the numbers that JSON lacks as strings: `1/0` is "Infinity".
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return undefined;
  work.enter();
  const [isList, names] = [Array.isArray(value), Object.keys(value)];
  const copy: Json[] | JsonObject = isList ? [] : {};
  for (const [at, part] of partsOf(value).entries()) {
    // An undefined field is left out.
    if (part === undefined && !isList) continue;
    const plain = plainJson(part, work);
    if (plain === undefined) return undefined;
    if (isList) (copy as Json[]).push(plain);
    else setField(copy, names[at]!, plain);
  }
  work.leave();
  return copy;
}
