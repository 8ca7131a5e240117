import type { Json, JsonObject } from '@dramaturg/compiler';
import { LinearPattern } from '@dramaturg/compiler/text';

/** The kind of answer that a schema accepts. `options` are its allowed values, in order. */
export type Kind =
  | { readonly kind: 'text' | 'texts' | 'yes-no' | 'number' | 'unreadable' }
  | { readonly kind: 'choice' | 'choices'; readonly options: readonly Option[] };

export type Option = string | number | boolean;

/** The own properties that an object schema declares. */
export function propertiesOf(schema: JsonObject): [name: string, schema: JsonObject][] {
  const properties = schema['properties'];
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) ? [[name, property]] : [],
  );
}

/** The schema itself, or the branch of it that is an object with properties. */
export function objectOf(schema: JsonObject): JsonObject | undefined {
  return branchesOf(schema).find((branch) => isObject(branch['properties']));
}

export function kindOf(schema: JsonObject): Kind {
  const options = optionsOf(schema);
  if (options !== undefined) {
    if (options.length === 0) return { kind: 'unreadable' };
    return options.every((option) => typeof option === 'boolean')
      ? { kind: 'yes-no' }
      : { kind: 'choice', options };
  }
  for (const branch of branchesOf(schema)) {
    const types = typesOf(branch);
    if (types.has('boolean')) return { kind: 'yes-no' };
    if (types.has('number') || types.has('integer')) return { kind: 'number' };
    if (types.has('string') || saysNothing(branch)) return { kind: 'text' };
    const items =
      types.has('array') && isObject(branch['items']) ? optionsOf(branch['items']) : undefined;
    if (items !== undefined && items.length > 0) return { kind: 'choices', options: items };
    if (types.has('array') && isObject(branch['items']) && isText(branch['items']))
      return { kind: 'texts' };
  }
  return { kind: 'unreadable' };
}

/** The schema and its alternatives, without those that only allow null. */
function branchesOf(schema: JsonObject): JsonObject[] {
  const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => schema[key] ?? []);
  return [schema, ...alternatives.filter(isObject)].filter(
    (branch) => !typesOf(branch).has('null') || typesOf(branch).size > 1,
  );
}

/** Whether a schema allows anything: it is answered with the person's own words. */
function saysNothing(schema: JsonObject): boolean {
  return ['type', 'anyOf', 'oneOf', 'allOf', '$ref', 'properties', 'items', 'not'].every(
    (key) => schema[key] === undefined,
  );
}

function isText(schema: JsonObject): boolean {
  return typesOf(schema).has('string') && optionsOf(schema) === undefined;
}

function typesOf(schema: JsonObject): Set<Json> {
  const type = schema['type'];
  return new Set(isList(type) ? type : type === undefined ? [] : [type]);
}

/** The list of values that the schema allows, if it has one. */
function optionsOf(schema: JsonObject): Option[] | undefined {
  const listed = branchesOf(schema).map((branch) => {
    const values = branch['const'] === undefined ? branch['enum'] : [branch['const']];
    return isList(values)
      ? values
          .slice(0, mostOptions)
          .filter((value): value is Option => isOption(value) && accepts(schema, value))
      : undefined;
  });
  const closed = listed.filter((values) => values !== undefined);
  return closed.length === 0 ? undefined : closed.flat();
}

/** Limits for schemas from untrusted sources: the nesting depth, and the number of options. */
const deepest = 20;
const mostOptions = 500;

/** Whether a value satisfies its schema. Every value that was read passes this check before it is returned. */
export function accepts(schema: JsonObject, value: Json, depth = 0): boolean {
  if (depth > deepest) return false;
  const types = typesOf(schema);
  if (types.size > 0 && ![...types].some((type) => isOfType(value, type))) return false;
  if (isList(schema['enum']) && !schema['enum'].includes(value)) return false;
  if (schema['const'] !== undefined && schema['const'] !== value) return false;
  for (const key of ['anyOf', 'oneOf'] as const) {
    const branches = schema[key];
    if (
      isList(branches) &&
      !branches.some((branch) => isObject(branch) && accepts(branch, value, depth + 1))
    )
      return false;
  }
  const all = schema['allOf'];
  if (isList(all) && !all.every((branch) => isObject(branch) && accepts(branch, value, depth + 1)))
    return false;
  if (typeof value === 'number') return isInRange(schema, value);
  if (typeof value === 'string')
    return (
      isWithin(schema, 'minLength', 'maxLength', Array.from(value).length) &&
      fitsPattern(schema['pattern'], value)
    );
  if (!isList(value)) return true;
  const items = schema['items'];
  return (
    isWithin(schema, 'minItems', 'maxItems', value.length) &&
    (!isObject(items) || value.every((item) => accepts(items, item, depth + 1)))
  );
}

function isOfType(value: Json, type: Json): boolean {
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'array') return isList(value);
  if (type === 'object') return isObject(value);
  return type === 'null' ? value === null : typeof value === type;
}

function isInRange(schema: JsonObject, value: number): boolean {
  const { exclusiveMinimum: above, exclusiveMaximum: below, multipleOf: step } = schema;
  return (
    isWithin(schema, 'minimum', 'maximum', value) &&
    (typeof above !== 'number' || value > above) &&
    (typeof below !== 'number' || value < below) &&
    (typeof step !== 'number' || Number.isInteger(value / step))
  );
}

function fitsPattern(pattern: Json | undefined, value: string): boolean {
  if (typeof pattern !== 'string') return true;
  try {
    return new LinearPattern(pattern).test(value);
  } catch {
    return true;
  }
}

function isWithin(schema: JsonObject, least: string, most: string, size: number): boolean {
  const from = schema[least];
  const to = schema[most];
  return (typeof from !== 'number' || size >= from) && (typeof to !== 'number' || size <= to);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isOption(value: Json): value is Option {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
