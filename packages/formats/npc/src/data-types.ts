import type { DataTypes } from '@dramaturg/compiler/format';
import { inputAndOutput } from '@dramaturg/conversation';
import { type Npc, outcomes } from './definition.ts';

/** The types of a persona's scenarios, of the variables that they provide, and of the actor's input and output. */
export function dataTypes({ scenarios }: Npc): DataTypes {
  const variables = scenarios.flatMap(({ output_variables }) => output_variables);
  const strings = { type: 'object', additionalProperties: { type: 'string' } };
  return {
    State: {
      enum: [...new Set(scenarios.flatMap(({ states }) => states.map((one) => one.state_key)))],
      description: 'The keys of the states.',
    },
    Machine: {
      enum: scenarios.map(({ machine_key }) => machine_key),
      description: 'The keys of the scenarios.',
    },
    Variables: {
      type: 'object',
      description: 'What completed sessions have provided.',
      properties: Object.fromEntries(
        variables.map(({ key, extraction_prompt }) => [
          key,
          { type: 'string', description: extraction_prompt },
        ]),
      ),
    },
    ...inputAndOutput(
      {
        properties: {
          machine: { $ref: '#/definitions/Machine', description: 'The scenario to begin with.' },
          player: {
            type: 'object',
            properties: { name: { type: 'string' }, gender: { type: 'string' } },
          },
          unlocked: { type: 'array', items: { $ref: '#/definitions/Machine' } },
          variables: strings,
          memory: { type: 'string', description: 'What is known of the player from before.' },
        },
      },
      {
        properties: {
          outcome: { enum: [...outcomes, 'completed', 'cancelled', 'ended_by_agent'] },
          machine: { $ref: '#/definitions/Machine', description: 'The last scenario.' },
          score: { type: 'number' },
          results: { type: 'array', items: {} },
          unlocked: { type: 'array', items: { $ref: '#/definitions/Machine' } },
          variables: { $ref: '#/definitions/Variables' },
        },
        required: ['machine', 'score', 'results', 'unlocked', 'variables'],
      },
    ),
  };
}
