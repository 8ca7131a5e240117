import type { JsonObject } from '@dramaturg/compiler';
import type { EditorSchema } from '@dramaturg/compiler/format';
import { shapeByValue } from '@dramaturg/compiler/shapes';
import * as z from 'zod/mini';
import { envelope, loneScenario, persona, stateShape, unfinished } from './definition.ts';

const has = (field: string): JsonObject => ({ required: [field] });

/** A persona with its scenarios, one scenario, or states: the layouts of `layoutOf`. */
export const npcSchema: EditorSchema = {
  name: 'npc',
  title: 'NPC scenario',
  description: 'A character with states, verdicts on the messages of a player, and a score.',
  shape: shapeByValue([
    { when: { type: 'array' }, shape: z.array(stateShape) },
    {
      when: {
        allOf: [has('persona_identity_prompt'), { anyOf: [has('machines'), has('scenarios')] }],
      },
      shape: z.extend(envelope, persona.shape),
    },
    { when: { anyOf: [has('machines'), has('scenarios')] }, shape: envelope },
    { when: has('states'), shape: loneScenario },
    { when: has('state_key'), shape: stateShape },
    { when: has('persona_identity_prompt'), shape: z.extend(envelope, persona.shape) },
    { shape: unfinished },
  ]),
};
