import type { Outline } from '@dramaturg/compiler/chart';

/** The parts of a definition for an NPC. Transitions are in order of priority, so a priority is a position in the list. */
export const outline: Outline = {
  parts: [
    { list: 'scenarios', noun: 'scenario', id: 'machine_key', order: 'matters' },
    { list: 'states', noun: 'state', id: 'state_key', order: 'matters' },
    {
      list: 'transitions',
      noun: 'transition',
      name: ({ from_state_key: from, decision_type: decision, to_state_key: to }) =>
        `from ${String(from)} on ${String(decision)} to ${String(to)}`,
      order: 'matters',
    },
    { list: 'output_variables', noun: 'output variable', id: 'key', order: 'matters' },
    { list: 'variables', noun: 'variable', id: 'key', order: 'free' },
    {
      list: 'machine_links',
      noun: 'link',
      name: ({ source_machine_key: from, target_machine_key: to }) =>
        `from ${String(from)} to ${String(to)}`,
      order: 'matters',
    },
  ],
  references: {
    from_state_key: 'state',
    to_state_key: 'state',
    source_machine_key: 'scenario',
    target_machine_key: 'scenario',
  },
  whole: ['condition'],
  // The name of a transition for the evaluator follows from its decision and its target.
  derived: ['at', 'scenariosAt', 'priority', 'row'],
};
