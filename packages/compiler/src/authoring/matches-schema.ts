import { isRecord, type JsonObject } from '../json.ts';

/**
 * Whether a value has what a condition of a schema asks for. Knows the keywords that shapes are made of; the compiler itself, and not this,
 * decides what is an error.
 */
export function matchesSchema(
  value: unknown,
  schema: unknown,
  resolve: (reference: string) => JsonObject | undefined,
): boolean {
  if (!isRecord(schema)) return schema !== false;
  const matches = (part: unknown, inner: unknown) => matchesSchema(part, inner, resolve);
  const { $ref, type, enum: values, required, properties, additionalProperties } = schema;
  const { items, minProperties, not, allOf, anyOf } = schema;
  if (typeof $ref === 'string') return matches(value, resolve($ref));
  if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) return false;
  if (Array.isArray(values) && !values.includes(value)) return false;
  if (Object.hasOwn(schema, 'const') && schema['const'] !== value) return false;
  if (not !== undefined && matches(value, not)) return false;
  if (Array.isArray(allOf) && !allOf.every((one) => matches(value, one))) return false;
  if (Array.isArray(anyOf) && !anyOf.some((one) => matches(value, one))) return false;
  if (Array.isArray(value) && items !== undefined && !Array.isArray(items))
    return value.every((item) => matches(item, items));
  if (!isRecord(value)) return true;
  const keys = Object.keys(value);
  if (typeof minProperties === 'number' && keys.length < minProperties) return false;
  if (Array.isArray(required) && !required.every((key) => Object.hasOwn(value, key as string)))
    return false;
  const known: Record<string, unknown> = isRecord(properties) ? properties : {};
  return keys.every((key) =>
    Object.hasOwn(known, key)
      ? matches(value[key], known[key])
      : additionalProperties === undefined || matches(value[key], additionalProperties),
  );
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'object') return isRecord(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
