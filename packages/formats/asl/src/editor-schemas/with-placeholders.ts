import type { Json, JsonObject } from '@dramaturg/compiler';
import { mapSchemas } from '@dramaturg/compiler/shapes';

/** A string with a placeholder of a deployment tool, `${TableName}`. */
const placeholder = { type: 'string', pattern: '\\$\\{' };

/** A call of a function of CloudFormation, `{ "Ref": "Table" }`. */
const call = { type: 'object', propertyNames: { pattern: '^(Ref|Fn::.+)$' }, minProperties: 1 };

/** Lets deployment tools fill in a value of any type, because `check` does so too. */
export function withPlaceholders(schema: JsonObject): JsonObject {
  const { definitions = {}, properties = {}, ...rest } = mapSchemas(schema, withPlaceholder);
  return {
    ...rest,
    properties: { $schema: { type: 'string' }, ...(properties as JsonObject) },
    definitions: {
      Filled: { anyOf: [placeholder, call] },
      ...(definitions as JsonObject),
    },
  };
}

function withPlaceholder(part: JsonObject): JsonObject {
  const { type } = part;
  if (Array.isArray(part['enum']) || type === 'boolean') return unlessFilled(part);
  if (type === 'array' || type === 'object')
    return { ...part, type: [type, 'string'], pattern: placeholder.pattern };
  if (type === 'string' && part['pattern'] === undefined)
    return { ...part, type: ['string', 'object'], ...callKeywords };
  if (isNumberOrText(type)) return { ...part, type: [...type, 'object'], ...callKeywords };
  return part;
}

const { type: _, ...callKeywords } = call;

function isNumberOrText(type: Json | undefined): type is Json[] {
  return Array.isArray(type) && type.includes('string') && !type.includes('object');
}

/** Editors complete the values of alternatives, and show the description of the whole. */
function unlessFilled({ description, ...rest }: JsonObject): JsonObject {
  const shown = description === undefined ? {} : { description };
  return { ...shown, anyOf: [rest, { $ref: '#/definitions/Filled' }] };
}
