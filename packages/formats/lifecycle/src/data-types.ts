import type { DataTypes } from '@dramaturg/compiler/format';
import type { Lifecycle } from './definition.ts';

/** The types of a table's states and events, and of the actor's input and output. */
export function dataTypes({ states, rows }: Lifecycle): DataTypes {
  const events = rows.flatMap(({ event, from }) =>
    event !== undefined && from.kind !== 'nothing' ? [event] : [],
  );
  const nullable = (description: string) => ({ type: ['string', 'null'], description });
  return {
    State: { enum: states.map(({ name }) => name), description: 'The names of the states.' },
    EventType: { enum: [...new Set(events)], description: 'The events that the table has.' },
    Input: {
      type: 'object',
      description: "The actor's input.",
      properties: {
        instance: { type: 'string', description: "The instance's id." },
        event: { type: 'string', description: 'The event that creates it.' },
        queued: { type: 'boolean', description: 'Whether another instance holds the contact.' },
      },
    },
    Output: {
      type: 'object',
      description: "The actor's output.",
      properties: {
        instance: { type: 'string' },
        state: { $ref: '#/definitions/State', description: 'The last state.' },
        end_reason: nullable('Why the agent has ended it.'),
        failure_reason: nullable('Why it has failed.'),
        cancel_reason: nullable('Why it was cancelled.'),
      },
      required: ['instance', 'state', 'end_reason', 'failure_reason', 'cancel_reason'],
    },
  };
}
