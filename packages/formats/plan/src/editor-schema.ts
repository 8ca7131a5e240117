import type { EditorSchema } from '@dramaturg/compiler/format';
import { shapeByValue, withValues } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';
import { withConditionFields } from './condition-schema.ts';
import { authoredTypes } from './conditions/table.ts';
import { planShape, stateShape } from './definition.ts';

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
