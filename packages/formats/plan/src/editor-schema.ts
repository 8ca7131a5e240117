import { isRecord, type JsonObject } from '@dramaturg/compiler';
import type { EditorSchema } from '@dramaturg/compiler/format';
import { mapSchemas, shapeByValue, withValues } from '@dramaturg/compiler/shapes';
import { authoredTypes } from './conditions/table.ts';
import { planShape, stateShape } from './shape.ts';

import * as z from 'zod/mini';

/** The fields of conditions, for editors. They have no types here: rules check their values, so that nothing is reported twice. */
const configFields: Readonly<Record<string, JsonObject>> = {
  deliverable_key: { description: 'The deliverable whose value is judged.' },
  expected_value: { description: 'The value that it has to have, or a list of such values.' },
  values: { description: 'The values of which it has to have one.', items: {} },
  operator: {
    description: 'How numbers are compared; and, or for a compound condition.',
    examples: ['gt', 'gte', 'lt', 'lte', 'eq', 'neq', 'between', 'and', 'or'],
  },
  value: { description: 'The number to compare with.' },
  min: { description: 'The least number of between.' },
  max: { description: 'The greatest number of between.' },
  inclusive: {
    description: 'Whether between includes its limits; true by default.',
    examples: [true, false],
  },
  turns: { description: 'How many messages of the person.' },
  scope: {
    description: 'Since when messages are counted; without_progress by default.',
    examples: ['without_progress', 'total'],
  },
  count: {
    description: 'Which messages are counted: all by default, or no questions of the person.',
    examples: ['all', 'unanswered'],
  },
  task_id: { description: 'The task whose agent has failed; any task of the state by default.' },
  key: { description: 'Older spelling of "deliverable_key".', deprecated: true },
};

const config = '#/definitions/ConditionConfig';

const inner: JsonObject = {
  properties: {
    condition_type: {
      description: 'When the condition holds.',
      examples: [...authoredTypes.keys()],
    },
    condition_config: { description: 'The details of the condition.', allOf: [{ $ref: config }] },
    type: { description: 'Older spelling of "condition_type".', deprecated: true },
    config: {
      description: 'Older spelling of "condition_config".',
      deprecated: true,
      allOf: [{ $ref: config }],
    },
  },
};

/** Describes the fields of `condition_config` in a JSON Schema of plans. Conditions contain conditions. */
function withConditionFields(schema: JsonObject): JsonObject {
  const referring = mapSchemas(schema, (part) => {
    const properties = Object(part['properties']) as JsonObject;
    const { condition_config: field } = properties;
    if (!isRecord(field)) return part;
    const condition_config = { ...field, allOf: [{ $ref: config }] };
    return { ...part, properties: { ...properties, condition_config } };
  });
  const conditions = { description: 'The conditions that are combined.', items: inner };
  const definitions = { ConditionConfig: { properties: { ...configFields, conditions } } };
  return { ...referring, definitions: { ...Object(referring['definitions']), ...definitions } };
}

/** A plan, a list of states, or one state: the layouts of `shapeOf`. */
export const planSchema: EditorSchema = {
  name: 'plan',
  title: 'Conversation plan',
  description: 'A conversation that collects information: states with tasks and deliverables.',
  shape: shapeByValue([
    { when: { type: 'array' }, shape: z.array(stateShape) },
    {
      when: {
        required: ['tasks'],
        properties: { tasks: { type: 'array' } },
        not: { required: ['states'] },
      },
      shape: stateShape,
    },
    { shape: planShape },
  ]),
  adapt: (schema) =>
    withConditionFields(withValues(schema, { condition_type: [...authoredTypes.keys()] })),
};
