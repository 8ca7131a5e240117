import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { Asked } from './answer.ts';

const depthMax = 4;

/** The single values of a JSON Schema of an object. */
export function fieldsIn(schema: unknown, depth = 0): readonly Asked[] {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  if (!isRecord(properties) || depth > depthMax) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isRecord(property)) return [];
    if (isRecord(property['properties'])) return fieldsIn(property, depth + 1);
    // Lists and objects beside the values are about tasks and names.
    if (/array|object/.test(String(property['type'])) && depth === 0) return [];
    const { description } = property;
    const question = typeof description === 'string' ? description : '';
    return [{ name, question, schema: property as JsonObject }];
  });
}
