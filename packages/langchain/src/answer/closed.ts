import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';

/** Schemas may refer to themselves; data nests no deeper than this. */
const deepest = 50;

/**
 * The value without what its schema does not name. A schema that names no property leaves its object open; one that
 * names some is closed, unless it says otherwise: what a model adds is nothing that the chart has asked for.
 */
export function closed(value: unknown, schema: JsonObject): Json {
  return taken(value, [schema], { root: schema, depth: 0 });
}

interface ModelContext {
  readonly root: JsonObject;
  readonly depth: number;
}

function taken(value: unknown, schemas: readonly Json[], { root, depth }: ModelContext): Json {
  const place = { root, depth: depth + 1 };
  if (depth > deepest) return null;
  const all = schemas.flatMap((schema) => partsOf(schema, root, 0));
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => taken(item, itemSchemas(all, index), place));
  }
  if (isRecord(value)) {
    const isClosed =
      all.some((schema) => isRecord(schema['properties'])) &&
      !all.some((schema) => isRecord(schema['patternProperties']));
    const entries = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
      if (key === '__proto__' || inner === undefined) return [];
      const named = all.flatMap((schema) => schemasOf(schema, key));
      const more = all.flatMap(({ additionalProperties: other }) =>
        other === undefined || other === false ? [] : [other],
      );
      if (named.length > 0) return [[key, taken(inner, named, place)]];
      if (isClosed && more.length === 0) return [];
      return [[key, taken(inner, more.filter(isRecord), place)]];
    });
    return Object.fromEntries(entries);
  }
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
    ? (value as Json)
    : null;
}

/** A schema and those it is composed of, references to its own definitions included. */
function partsOf(schema: Json, root: JsonObject, depth: number): JsonObject[] {
  if (!isRecord(schema) || depth > deepest) return [];
  const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list : [];
  });
  const conditional = [schema['then'], schema['else']].filter((part) => part !== undefined);
  const { $ref: reference } = schema;
  const referred = typeof reference === 'string' ? referredTo(reference, root) : undefined;
  return [
    schema,
    ...[...parts, ...conditional, ...(referred === undefined ? [] : [referred])].flatMap((part) =>
      partsOf(part as Json, root, depth + 1),
    ),
  ];
}

function referredTo(reference: string, root: JsonObject): Json | undefined {
  if (!reference.startsWith('#/')) return undefined;
  const keys = reference.slice(2).split('/');
  return keys.reduce<Json | undefined>((value, key) => {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }, root);
}

function schemasOf({ properties }: JsonObject, key: string): Json[] {
  return isRecord(properties) && Object.hasOwn(properties, key) ? [properties[key] as Json] : [];
}

function itemSchemas(schemas: readonly JsonObject[], index: number): Json[] {
  return schemas.flatMap(({ items, prefixItems }) => {
    const own = Array.isArray(prefixItems) ? prefixItems[index] : undefined;
    if (own !== undefined) return [own];
    if (Array.isArray(items)) return items[index] === undefined ? [] : [items[index]];
    return items === undefined ? [] : [items];
  });
}
