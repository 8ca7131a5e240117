import type { JsonObject } from '@dramaturg/compiler';
import type { EditorSchema } from '@dramaturg/compiler/format';
import { shapeByValue, withValues } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';
import { authoredState, graphFields, stateTypes } from './definition.ts';

/** The test of `looksLikeState` as a schema. */
const bareState: JsonObject = {
  type: 'object',
  required: ['type'],
  properties: { type: { enum: [...stateTypes] } },
  anyOf: [
    { required: ['exit_conditions'], properties: { exit_conditions: { type: 'array' } } },
    { required: ['next_state'], properties: { next_state: { type: ['string', 'array'] } } },
  ],
};

/** A graph with a list of states or with an object of them; one state alone may have any form. */
export const contextGraphSchema: EditorSchema = {
  name: 'context-graph',
  title: 'Context graph',
  description: 'Action states that talk, and hidden states that decide, reflect and remember.',
  shape: shapeByValue([
    {
      when: {
        type: 'object',
        not: { required: ['states'] },
        anyOf: [
          bareState,
          {
            properties: { $schema: { type: 'string' } },
            minProperties: 1,
            additionalProperties: bareState,
          },
        ],
      },
      shape: z.unknown(),
    },
    {
      shape: z.object({
        ...graphFields,
        states: shapeByValue([
          { when: { type: 'object' }, shape: z.record(z.string(), authoredState) },
          { shape: z.array(authoredState) },
        ]).check(z.describe('The states: a list with names, or an object keyed by name.')),
      }),
    },
  ]),
  adapt: (schema) => withValues(schema, { type: stateTypes }),
};
