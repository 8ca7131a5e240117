import type { EditorSchema } from '@dramaturg/compiler/format';
import { shapeByValue, withValues } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';
import { root, rowsByState, rowsInList, statesByName, statesInList } from './definition.ts';
import { kindWords } from './vocabulary.ts';

const isObject = { type: 'object' };

/** The test of `isRowsUnderKeys` as a schema. */
const rowsUnderKeys = {
  type: 'object',
  minProperties: 1,
  additionalProperties: { type: 'object', required: ['from'] },
};

/** A lifecycle in every layout: lists or objects of states and of rows. */
export const lifecycleSchema: EditorSchema = {
  name: 'lifecycle',
  title: 'Lifecycle',
  description: 'A table of states, and of the events that lead from one to another.',
  shape: z.extend(root, {
    states: shapeByValue([{ when: isObject, shape: statesByName }, { shape: statesInList }]).check(
      z.describe(
        'The states: a list of names and states, or an object from names to kinds and states.',
      ),
    ),
    transitions: z
      .optional(
        shapeByValue([
          { when: rowsUnderKeys, shape: rowsInList },
          { when: isObject, shape: rowsByState },
          { shape: rowsInList },
        ]),
      )
      .check(z.describe('Rows: an object from states to events to targets, or a list of rows.')),
  }),
  adapt: (schema) => withValues(schema, { kind: Object.keys(kindWords) }),
};
