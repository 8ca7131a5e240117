import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';

/** Fills the required properties of a schema. */
export function required(schema: JsonObject): JsonObject {
  const names = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
  const { properties } = schema;
  return Object.fromEntries(
    names.map((name) => [name, sampleOf(isRecord(properties) ? properties[name] : {})]),
  );
}

/** A value that fits a schema. */
export function sampleOf(schema: unknown): Json {
  if (!isRecord(schema)) return null;
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values[0] as Json;
  switch (type) {
    case 'number':
    case 'integer':
      return 7;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return required(schema as JsonObject);
    default:
      return 'since Monday evening';
  }
}
