import { isRecord, type JsonObject } from '../json.ts';
import { mapSchemas } from './map-schemas.ts';

/** What shapes say to the compiler, in the meta of their fields. */
const ownWords = ['agent', 'language', 'choose', 'older', 'decides'];

/** Leaves out what editors do not need, marks old spellings, and joins each alternative `null` with its other type. */
export function tidy(schema: JsonObject): JsonObject {
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

/** Every key of JSON is a text. */
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
