import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';

/**
 * Checks a value against a JSON Schema. The schema comes from a definition, so it is interpreted and never compiled to code.
 *
 * @returns a description of the errors for a model; undefined when there are none
 */
export function misfit(value: Json, schema: JsonObject): string | undefined {
  const errors = errorsIn(value, schema);
  if (errors.length === 0) return undefined;
  return deepestOf(errors)
    .slice(0, 5)
    .map(({ instanceLocation, error }) => `${contextOf(instanceLocation)}: ${error}`)
    .join(' ');
}

/** The maximum number of parts to remove from a value. */
const removalsMax = 50;

/** The value without its unfit parts; undefined when the remaining value does not fit either. */
export function fittingPart(value: Json, schema: JsonObject): Json | undefined {
  const part = structuredClone(value);
  for (let round = 0; round < removalsMax; round += 1) {
    const [worst] = deepestOf(errorsIn(part, schema));
    if (worst === undefined) return part;
    if (!remove(part, worst.instanceLocation)) return undefined;
  }
  return undefined;
}

function errorsIn(value: Json, schema: JsonObject): OutputUnit[] {
  try {
    return new Validator(withoutPatterns(schema), '2020-12', false).validate(value).errors;
  } catch (error) {
    // A reference without a target, or a circular one: no value fits such a schema.
    const because = error instanceof Error ? error.message : String(error);
    return [{ keyword: 'schema', keywordLocation: '#', instanceLocation: '#', error: because }];
  }
}

/** An error in a property is also reported for the objects around it. Only the innermost errors are useful. */
function deepestOf(errors: readonly OutputUnit[]): OutputUnit[] {
  const depths = errors.map(({ instanceLocation }) => instanceLocation.split('/').length);
  const most = Math.max(...depths, 0);
  return errors.filter((_, index) => depths[index] === most);
}

function contextOf(location: string): string {
  return location === '#' ? 'The answer' : keysOf(location).join('.');
}

function keysOf(location: string): string[] {
  return location
    .replace(/^#\/?/, '')
    .split('/')
    .filter((key) => key !== '')
    .map((key) => decoded(key).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function remove(value: Json, location: string): boolean {
  const keys = keysOf(location);
  const last = keys.pop();
  if (last === undefined) return false;
  const parent = keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  );
  if (Array.isArray(parent)) return parent.splice(Number(last), 1).length > 0;
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) return false;
  return delete (parent as Record<string, unknown>)[last];
}

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
 * The schema without its regular expressions. They come from definitions, and a bad one can hang the process on a string from a
 * model (ReDoS). The model still sees them.
 */
function withoutPatterns(schema: JsonObject): JsonObject {
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
