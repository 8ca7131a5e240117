import type { DataTypes } from '@dramaturg/compiler/format';
import { inputAndOutput } from '@dramaturg/conversation';
import { type Graph, outcomesOf } from './definition.ts';

/** The types of a graph's states, and of the actor's input and output. */
export function dataTypes(graph: Graph): DataTypes {
  return {
    State: { enum: graph.states.map(({ name }) => name), description: 'The names of the states.' },
    ...inputAndOutput(
      {
        properties: {
          returning: { type: 'boolean', description: 'Whether the person was here before.' },
        },
      },
      {
        properties: {
          outcome: { enum: outcomesOf(graph) },
          // The last state may be one of a referenced graph.
          state: { type: 'string', description: 'The last state.' },
        },
      },
    ),
  };
}
