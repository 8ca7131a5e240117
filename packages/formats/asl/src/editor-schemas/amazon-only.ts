import { isRecord, type JsonObject } from '@dramaturg/compiler';
import { mapSchemas } from '@dramaturg/compiler/shapes';
import { isAgentType } from '../kinds.ts';

/** Leaves out the state types and fields that only Agent State Language has, and refuses fields that are not named. */
export function amazonOnly(schema: JsonObject): JsonObject {
  return mapSchemas(schema, (part) => withoutAgentFields(withoutAgentCase(part)));
}

/** Removes a case that only agents' workflows have from a chain of `if`. */
function withoutAgentCase(part: JsonObject): JsonObject {
  const { if: condition, then: _, else: others, ...rest } = part;
  if (!isRecord(condition) || !isRecord(condition['properties']) || !isRecord(others)) return part;
  const { Type: type, Module: isModule } = condition['properties'];
  const isAgentCase = isRecord(isModule) || (isRecord(type) && isAgentType(type['const']));
  return isAgentCase ? { ...rest, ...others } : part;
}

function withoutAgentFields(part: JsonObject): JsonObject {
  const { properties, required } = part;
  if (part['type'] === 'string' && Array.isArray(part['enum']))
    return { ...part, enum: part['enum'].filter((value) => !isAgentType(value)) };
  if (part['type'] !== 'object' || !isRecord(properties)) return part;
  const kept = Object.entries(properties).filter(
    ([, field]) => !isRecord(field) || field['agent'] !== true,
  );
  return {
    ...part,
    properties: Object.fromEntries(kept),
    ...(required && { required }),
    additionalProperties: false,
  };
}
