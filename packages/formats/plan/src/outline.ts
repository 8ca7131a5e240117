import type { Outline } from '@dramaturg/compiler/chart';

/** The parts of a plan. Transitions are in order of priority, so a priority is a position in the list. */
export const outline: Outline = {
  parts: [
    { list: 'states', noun: 'state', id: 'id', order: 'matters' },
    { list: 'tasks', noun: 'task', id: 'id', order: 'matters' },
    { list: 'deliverables', noun: 'deliverable', id: 'key', order: 'matters' },
    {
      list: 'transitions',
      noun: 'transition',
      name: ({ target_state_id: target }) => `to ${String(target)}`,
      order: 'matters',
    },
    { list: 'session_context', noun: 'session field', id: 'id', order: 'matters' },
  ],
  references: {
    initial_state_id: 'state',
    target_state_id: 'state',
    deliverable_key: 'deliverable',
  },
  whole: ['condition'],
  derived: ['at', 'initialAt', 'statesAt', 'paths', 'priority'],
};
