import { isRecord } from '@dramaturg/compiler';
import type { Outline } from '@dramaturg/compiler/chart';

type Fields = Readonly<Record<string, unknown>>;

const toolCalls = [
  'tool_call_specs',
  'action_tool_call_specs',
  'exit_condition_tool_call_specs',
] as const;

/**
 * The parts of a context graph. A graph that it refers to is a part, with the states of its own. Models receive a map that lists the
 * states in the order of the definition.
 */
export const outline: Outline = {
  parts: [
    { list: 'states', noun: 'state', id: 'name', order: 'matters' },
    { list: 'references', noun: 'referenced graph', id: 'name', order: 'free' },
    {
      list: 'exit_conditions',
      noun: 'exit',
      name: ({ next_state: target }: Fields) =>
        `to ${isRecord(target) ? String(target['state'] ?? target['target']) : 'nowhere'}`,
      order: 'matters',
    },
    ...toolCalls.map((list) => ({ list, noun: 'tool', id: 'tool_id', order: 'matters' as const })),
  ],
  references: {
    new_user_initial_state: 'state',
    returning_user_initial_state: 'state',
    terminal_state: 'state',
    next_state: 'state',
    state: 'state',
    jumpback: 'state',
    reference: 'referenced graph',
  },
  whole: ['next_state', 'problems', 'designated_tool'],
  derived: ['at', 'nameAt', 'areReferencesRead', 'hasNameless', 'otherNames', 'isBare'],
  elsewhere: ['graph'],
};
