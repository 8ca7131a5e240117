import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';

const depthMax = 100;

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = new Set(
  'items additionalProperties not if then else contains propertyNames unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
const several = new Set('allOf anyOf oneOf prefixItems items'.split(' '));
const named = new Set('properties $defs definitions dependentSchemas'.split(' '));

/**
 * The schema without its regular expressions. They come from definitions, and a bad one can hang the process on a text
 * from a model (ReDoS). The model still sees them.
 */
export function withoutPatterns(schema: JsonObject): JsonObject {
  return without(schema, 0) as JsonObject;
}

function without(schema: Json, depth: number): Json {
  if (!isRecord(schema) || depth > depthMax) return schema;
  const inner = (value: Json) => without(value, depth + 1);
  const isOpen = schema['patternProperties'] !== undefined;
  const entries = Object.entries(schema).flatMap(([key, value]): [string, Json][] => {
    if (key === 'pattern' || key === 'patternProperties') return [];
    // Without the patterns, it is unknown which properties are additional.
    if (isOpen && key === 'additionalProperties') return [];
    if (several.has(key) && Array.isArray(value)) return [[key, value.map(inner)]];
    if (single.has(key)) return [[key, inner(value)]];
    if (!named.has(key) || !isRecord(value)) return [[key, value]];
    const schemas = Object.entries(value).map(([name, each]) => [name, inner(each)]);
    return [[key, Object.fromEntries(schemas) as JsonObject]];
  });
  return Object.fromEntries(entries);
}
