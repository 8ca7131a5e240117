import type { Json } from '@dramaturg/compiler';
import { StatesError } from '../states-error.ts';
import { mostBuilt } from './watch.ts';

/**
 * What an expression has given, as JSON: the library marks its lists and may share parts. Undefined when there is
 * something in it that JSON has not, such as a function.
 */
export function plainJson(given: unknown): Json | undefined {
  let left = mostBuilt;
  const plain = (value: unknown): Json | undefined => {
    left -= 1;
    if (left < 0) {
      throw new StatesError('States.QueryEvaluationError', 'An expression gave too much data.');
    }
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
    if (Array.isArray(value)) {
      const items = Array.from(value, plain);
      return items.includes(undefined) ? undefined : (items as Json[]);
    }
    if (typeof value !== 'object' || '_jsonata_lambda' in value || '_jsonata_function' in value) {
      return undefined;
    }
    const fields = Object.entries(value)
      // A field that is given nothing is none.
      .filter(([, field]) => field !== undefined)
      .map(([name, field]): [string, Json | undefined] => [name, plain(field)]);
    return fields.some(([, field]) => field === undefined)
      ? undefined
      : (Object.fromEntries(fields) as Json);
  };
  return plain(given);
}
