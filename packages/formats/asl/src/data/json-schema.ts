import { engines } from '#engines';
import { isRecord, type Json } from '@dramaturg/compiler';

/** Returns what is wrong with a value; undefined when it is valid. */
export type Validate = (value: Json) => string | undefined;

/**
 * Compiles a JSON Schema. Rejects patterns: those of JSON Schema can hang the process (ReDoS).
 *
 * @throws Error with the reason why the schema cannot be used
 */
export function compileSchema(schema: unknown): Validate {
  if (hasPattern(schema)) throw new Error('it has a "pattern"; use a rule of the type "regex"');
  const { fromJSONSchema, prettifyError } = engines();
  const compiled = fromJSONSchema(withRequired(schema) as never);
  return (value) => {
    const { error } = compiled.safeParse(value);
    return error && prettifyError(error).slice(0, longestComplaint);
  };
}

const longestComplaint = 1_000;

function hasPattern(schema: unknown): boolean {
  const pending = [schema];
  for (const part of pending) {
    if (Array.isArray(part)) pending.push(...(part as unknown[]));
    else if (isRecord(part)) {
      if (typeof part['pattern'] === 'string' || 'patternProperties' in part) return true;
      pending.push(...Object.values(part));
    }
  }
  return false;
}

/** Zod ignores required fields that are not among the `properties`. */
function withRequired(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withRequired);
  if (!isRecord(schema)) return schema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, part]) => [key, withRequired(part)]),
  );
  const { required, properties } = copy;
  if (!Array.isArray(required)) return copy;
  const named = Object.fromEntries(required.map((name) => [String(name), {}]));
  return { type: 'object', ...copy, properties: { ...named, ...(properties as object) } };
}
