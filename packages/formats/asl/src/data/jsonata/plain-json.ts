import type { Json } from '@dramaturg/compiler';
import { StatesError } from '../states-error.ts';
import { mostBuilt } from './watch.ts';

/**
 * Copies a result as JSON: the library marks its lists and may share parts. Undefined when the result contains a value
 * that JSON lacks, such as a function.
 */
export function plainJson(result: unknown): Json | undefined {
  let valuesLeft = mostBuilt;
  const plain = (value: unknown): Json | undefined => {
    valuesLeft -= 1;
    if (valuesLeft < 0) {
      throw new StatesError('States.QueryEvaluationError', 'An expression gave too much data.');
    }
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    // AWS shows the numbers that JSON lacks as texts: `1/0` is "Infinity".
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (Array.isArray(value)) {
      const items = Array.from(value, plain);
      return items.includes(undefined) ? undefined : (items as Json[]);
    }
    if (typeof value !== 'object' || '_jsonata_lambda' in value || '_jsonata_function' in value) {
      return undefined;
    }
    const fields = Object.entries(value)
      // An undefined field is left out.
      .filter(([, field]) => field !== undefined)
      .map(([name, field]): [string, Json | undefined] => [name, plain(field)]);
    return fields.some(([, field]) => field === undefined)
      ? undefined
      : (Object.fromEntries(fields) as Json);
  };
  return plain(result);
}
