import type { DataTypes } from '@dramaturg/compiler/format';
import { type Graph, outcomesOf } from './definition.ts';

/** The types of a graph's states, and of the actor's input and output. */
export function dataTypes(graph: Graph): DataTypes {
  return {
    State: { enum: graph.states.map(({ name }) => name), description: 'The names of the states.' },
    Input: {
      type: 'object',
      description: "The actor's input.",
      properties: {
        conversation: { type: 'string', description: "The conversation's id." },
        opening: { enum: ['agent', 'person'], description: 'Which side speaks first.' },
        returning: { type: 'boolean', description: 'Whether the person was here before.' },
      },
    },
    Output: {
      type: 'object',
      description: "The actor's output.",
      properties: {
        outcome: { enum: outcomesOf(graph) },
        state: { type: 'string', description: 'The last state.' },
        reason: { type: 'string' },
      },
      required: ['outcome', 'state'],
    },
  };
}
