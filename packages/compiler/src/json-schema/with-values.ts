import { isRecord, type JsonObject } from '../json.ts';
import { mapSchemas } from './map-schemas.ts';

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
