import * as z from 'zod/mini';
import type { EditorSchema } from './format.ts';
import { isRecord, type Json, type JsonObject } from './json.ts';

/** A shape, and the JSON Schema of the values that are meant to have it. The last of a list has no condition. */
export interface Alternative {
  readonly when?: JsonObject;
  readonly shape: z.core.$ZodType;
}

/** Shapes of one part of a definition; the value decides which one applies. */
export interface Alternatives {
  /** The name of the part, so that a shape can contain itself. */
  readonly name?: string;
  readonly list: () => readonly Alternative[];
}

/**
 * A shape for editors that depends on the value. Its JSON Schema is a chain of `if`, so that an editor explains errors of the
 * shape that the author means, and not of all shapes.
 */
export function shapeByValue(list: readonly Alternative[], name?: string): z.ZodMiniType {
  return z
    .unknown()
    .check(z.meta(alternativesMeta({ list: () => list, ...(name !== undefined && { name }) })));
}

/** Adds the alternatives to the meta of a shape, because zod does not know them. */
export function alternativesMeta(alternatives: Alternatives): {
  readonly alternatives: Alternatives;
} {
  return { alternatives };
}

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

/** Limits string fields of a shape to the given values, because a rule names these values. */
export function withValues(
  schema: JsonObject,
  valuesByField: Readonly<Record<string, readonly string[]>>,
): JsonObject {
  return mapSchemas(schema, (part) => {
    const { properties } = part;
    if (!isRecord(properties)) return part;
    const limited = Object.entries(valuesByField).flatMap(([field, values]) => {
      const known = Object.hasOwn(properties, field) ? properties[field] : undefined;
      return isRecord(known) && known['type'] === 'string' && known['enum'] === undefined
        ? [[field, { ...known, enum: [...values] }] as const]
        : [];
    });
    return { ...part, properties: { ...properties, ...Object.fromEntries(limited) } };
  });
}

type Schema = Record<string, unknown>;

/**
 * Makes the JSON Schema (draft 7) of a format's definitions as authored, for editors. It refuses nothing that `check` accepts.
 * It cannot say what rules say, such as that a name exists.
 */
export function jsonSchemaOf({ title, description, shape, adapt }: EditorSchema): JsonObject {
  const parts = new Map<string, Schema>();
  const root = converted(shape, parts);
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    description,
    ...root,
    ...(parts.size > 0 && { definitions: Object.fromEntries(parts) }),
  } as JsonObject;
  return hoistRepeated(tidy(adapt?.(schema) ?? schema));
}

function converted(shape: z.core.$ZodType, parts: Map<string, Schema>): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { alternatives, jsonSchema: written } = z.globalRegistry.get(zodSchema) ?? {};
      if (isAlternatives(alternatives)) {
        delete (jsonSchema as Schema)['alternatives'];
        Object.assign(jsonSchema, referenceTo(alternatives, parts));
      }
      if (isRecord(written)) {
        delete (jsonSchema as Schema)['jsonSchema'];
        Object.assign(jsonSchema, written);
      }
    },
  });
  return schema;
}

function isAlternatives(value: unknown): value is Alternatives {
  return isRecord(value) && typeof value['list'] === 'function';
}

/** A part with a name may contain itself, so it is written once and referred to by its name. */
function referenceTo({ name, list }: Alternatives, parts: Map<string, Schema>): Schema {
  if (name === undefined) return chainOf(list(), parts);
  if (!parts.has(name)) {
    parts.set(name, {});
    parts.set(name, chainOf(list(), parts));
  }
  // Draft 7 ignores what is next to "$ref", such as a description.
  return { allOf: [{ $ref: `#/definitions/${name}` }] };
}

function chainOf(
  [first, ...rest]: ReturnType<Alternatives['list']>,
  parts: Map<string, Schema>,
): Schema {
  if (!first) return {};
  const { when, shape } = first;
  const own = converted(shape, parts);
  // oxlint-disable-next-line unicorn/no-thenable -- A keyword of JSON Schema.
  return when === undefined ? own : { if: when, then: own, else: chainOf(rest, parts) };
}

/** Keys in the meta of fields that only the compiler reads. */
const ownWords = ['agent', 'language', 'choose', 'older', 'decides'];

/** Leaves out what editors do not need, marks old spellings, and joins each alternative `null` with its other type. */
function tidy(schema: JsonObject): JsonObject {
  return mapSchemas(schema, (part) => {
    const { older } = part;
    const kept = Object.entries(part).filter(
      ([key, value]) => !ownWords.includes(key) && !isAnyName(key, value),
    );
    return withoutNullBranch({
      ...Object.fromEntries(kept),
      ...(older === true && { deprecated: true }),
    });
  });
}

/** Every key of JSON is a string. */
function isAnyName(key: string, value: unknown): boolean {
  return key === 'propertyNames' && isRecord(value) && Object.keys(value).join() === 'type';
}

function withoutNullBranch(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const isNull = (branch: unknown) => isRecord(branch) && branch['type'] === 'null';
  const other = anyOf.find((branch) => !isNull(branch));
  if (!anyOf.some(isNull) || !isRecord(other) || other['type'] === undefined) return schema;
  const values = Array.isArray(other['enum']) ? { enum: [...other['enum'], null] } : {};
  return { ...other, ...rest, ...values, type: [other['type'], 'null'].flat() } as JsonObject;
}

/**
 * Moves a part that occurs several times to `definitions`, under the name of the field that has it. Descriptions stay in their
 * places.
 */
function hoistRepeated(schema: JsonObject): JsonObject {
  const times = new Map<string, number>();
  count(schema, times);
  const names = new Map<string, string>();
  const parts: Record<string, JsonObject> = {};
  const { definitions = {}, ...root } = schema;
  const taken = new Set(Object.keys(definitions as JsonObject));

  const hoisted = (value: Json, name: string): Json => {
    if (Array.isArray(value)) return value.map((item) => hoisted(item, name));
    if (!isRecord(value)) return value;
    const inner = (part: JsonObject): JsonObject => {
      const entries = Object.entries(part).map(([key, item]) => [
        key,
        hoisted(item, nameIn(key, part, name)),
      ]);
      return Object.fromEntries(entries) as JsonObject;
    };
    const { description, ...own } = value;
    const key = JSON.stringify(own);
    if (!isPart(value) || (times.get(key) ?? 0) < 2) return inner(value);
    let known = names.get(key);
    if (known === undefined) {
      known = unused(name, taken);
      names.set(key, known);
      parts[known] = inner(own);
    }
    const reference = { $ref: `#/definitions/${known}` };
    // Draft 7 ignores what is next to "$ref".
    return description === undefined ? reference : { description, allOf: [reference] };
  };

  const own = hoisted(root, 'Part') as JsonObject;
  const others = hoisted({ properties: definitions }, 'Part') as { properties: JsonObject };
  const all = { ...others.properties, ...parts };
  return Object.keys(all).length === 0 ? own : { ...own, definitions: all };
}

function isPart(value: object): boolean {
  return Object.hasOwn(value, 'properties') && Object.hasOwn(value, 'type');
}

function count(value: Json, times: Map<string, number>): void {
  if (Array.isArray(value)) {
    for (const item of value) count(item, times);
  } else if (isRecord(value)) {
    if (isPart(value)) {
      const { description: _, ...own } = value;
      const key = JSON.stringify(own);
      times.set(key, (times.get(key) ?? 0) + 1);
    }
    for (const item of Object.values(value)) count(item, times);
  }
}

/** Keys of `properties` are names; keywords keep the name of the field that has them. */
function nameIn(key: string, part: JsonObject, name: string): string {
  const isKeyword =
    Object.hasOwn(part, 'properties') || /^(?:if|then|else|items|allOf|anyOf)$/.test(key);
  return isKeyword || key.includes('$') ? name : key;
}

/** @param taken gets the name */
function unused(name: string, taken: Set<string>): string {
  const word = `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll(/\W/g, '');
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? word : `${word}${number}`;
    if (taken.has(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
}
