import { isRecord, type Json, type JsonObject } from '../json.ts';

/** Keywords whose keys are names, and whose values are schemas. */
const named = new Set(['properties', 'definitions', 'patternProperties']);

/** Keywords whose values are data. */
const data = new Set(['enum', 'const', 'default', 'examples', 'required', 'type']);

/** Rewrites each schema within a JSON Schema, the inner ones first, and then the whole. */
export function mapSchemas(
  schema: JsonObject,
  rewrite: (schema: JsonObject) => JsonObject,
): JsonObject {
  const inner = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inner);
    return isRecord(value) ? mapSchemas(value, rewrite) : value;
  };
  const each = (fields: Json): Json => mapValues(fields as JsonObject, inner);
  return rewrite(
    mapValues(schema, (value, key) =>
      data.has(key) ? value : named.has(key) ? each(value) : inner(value),
    ),
  );
}

function mapValues(fields: JsonObject, change: (value: Json, key: string) => Json): JsonObject {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key, change(value, key)]));
}
