import type { JsonObject } from '@dramaturg/compiler';

/** The schemas of the actor's input and output: the fields of every conversation, and those of a format. */
export function inputAndOutput(input: Type, output: Type): Record<'Input' | 'Output', JsonObject> {
  return {
    Input: {
      type: 'object',
      description: "The actor's input.",
      properties: {
        conversation: { type: 'string', description: "The conversation's id." },
        opening: { enum: ['agent', 'person'], description: 'Which side speaks first.' },
        ...input.properties,
      },
      ...(input.required && { required: input.required }),
    },
    Output: {
      type: 'object',
      description: "The actor's output.",
      properties: {
        outcome: {},
        state: { $ref: '#/definitions/State', description: 'The last state.' },
        reason: { type: 'string' },
        ...output.properties,
      },
      required: ['outcome', 'state', ...(output.required ?? [])],
    },
  };
}

interface Type {
  readonly properties: JsonObject;
  readonly required?: string[];
}

/** The schema of an object that has no other fields. */
export function objectSchema(properties: JsonObject, required?: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties,
    ...(required && { required }),
    additionalProperties: false,
  };
}
