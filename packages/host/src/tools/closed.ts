import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';

/** The maximum depth of data, because schemas may refer to themselves. */
const depthMax = 50;

/**
 * The value without properties that its schema does not name. An object is open if its schema names no properties, and
 * otherwise closed unless the schema allows more: a model must not add properties that the chart did not ask for.
 */
export function closed(value: unknown, schema: JsonObject): Json {
  return closedBy(value, [schema], { root: schema, depth: 0 });
}

interface SchemaContext {
  readonly root: JsonObject;
  readonly depth: number;
}

function closedBy(value: unknown, schemas: readonly Json[], { root, depth }: SchemaContext): Json {
  const inner = { root, depth: depth + 1 };
  if (depth > depthMax) return null;
  const all = schemas.flatMap((schema) => partsOf(schema, root, 0));
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => closedBy(item, itemSchemas(all, index), inner));
  }
  if (isRecord(value)) {
    const isClosed =
      all.some((schema) => isRecord(schema['properties'])) &&
      !all.some((schema) => isRecord(schema['patternProperties']));
    const entries = Object.entries(value).flatMap(([key, property]): [string, Json][] => {
      if (key === '__proto__' || property === undefined) return [];
      const named = all.flatMap((schema) => schemasOf(schema, key));
      const more = all.flatMap(({ additionalProperties: other }) =>
        other === undefined || other === false ? [] : [other],
      );
      if (named.length > 0) return [[key, closedBy(property, named, inner)]];
      if (isClosed && more.length === 0) return [];
      return [[key, closedBy(property, more.filter(isRecord), inner)]];
    });
    return Object.fromEntries(entries);
  }
  return typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
    ? (value as Json)
    : null;
}

/** A schema and the schemas it is composed of, including references to its own definitions. */
function partsOf(schema: Json, root: JsonObject, depth: number): JsonObject[] {
  if (!isRecord(schema) || depth > depthMax) return [];
  const parts = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list : [];
  });
  const conditional = [schema['then'], schema['else']].filter((part) => part !== undefined);
  const { $ref: reference } = schema;
  const target = typeof reference === 'string' ? resolved(reference, root) : undefined;
  return [
    schema,
    ...[...parts, ...conditional, ...(target === undefined ? [] : [target])].flatMap((part) =>
      partsOf(part as Json, root, depth + 1),
    ),
  ];
}

function resolved(reference: string, root: JsonObject): Json | undefined {
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
