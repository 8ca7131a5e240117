import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { EditorSchema } from '@dramaturg/compiler/format';
import { mapSchemas } from '@dramaturg/compiler/shapes';
import { shapeOf } from './document.ts';
import { isAgentType } from './kinds.ts';

/** Leaves out the state types and fields that only Agent State Language has, and refuses fields that are not named. */
function amazonOnly(schema: JsonObject): JsonObject {
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

/** A string with a placeholder of a deployment tool, `${TableName}`. */
const placeholder = { type: 'string', pattern: '\\$\\{' };

/** A call of a function of CloudFormation, `{ "Ref": "Table" }`. */
const call = { type: 'object', propertyNames: { pattern: '^(Ref|Fn::.+)$' }, minProperties: 1 };

/** Lets deployment tools fill in a value of any type, because `check` does so too. */
function withPlaceholders(schema: JsonObject): JsonObject {
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

/** Agent State Language, which contains Amazon's; and Amazon States Language alone, without what Amazon refuses. */
export const workflowSchemas: readonly EditorSchema[] = [
  {
    name: 'asl',
    title: 'Workflow',
    description: 'A workflow in Agent State Language, a superset of Amazon States Language.',
    shape: shapeOf(),
    adapt: withPlaceholders,
  },
  {
    name: 'amazon-states',
    title: 'Amazon States Language workflow',
    description: 'A workflow in Amazon States Language, without what Agent State Language adds.',
    shape: shapeOf(),
    adapt: (schema) => withPlaceholders(amazonOnly(schema)),
  },
];
