import type { Authoring, NameReference } from '@dramaturg/compiler/format';
import { otherTargets as words } from '@dramaturg/conversation';

const state = { noun: 'state', kind: ['type'], title: ['objective', 'problem', 'inner_thought'] };

const tools: readonly NameReference[] = [{ noun: 'tool', at: ['**', 'tool_id'] }];

/** The names of a context graph. Tools have no declaration, so they are known where they are used. */
export const authoring: Authoring = {
  declarations: [
    { ...state, at: ['states', '#'], name: ['name'] },
    { ...state, at: ['states', '*'] },
    { noun: 'referenced graph', at: ['references', '*'] },
  ],
  references: [
    { noun: 'state', at: ['new_user_initial_state'] },
    { noun: 'state', at: ['returning_user_initial_state'] },
    { noun: 'state', at: ['terminal_state'] },
    { noun: 'state', at: ['**', 'next_state'], words },
    { noun: 'state', at: ['**', 'next_state', 1] },
    ...tools,
  ],
  words: ({ path, typed, definition }) => {
    // The first item of a target in another graph is `reference.state`.
    if (path.at(-2) !== 'next_state' || path.at(-1) !== 0 || typed.includes('.')) return [];
    const { references } = (definition ?? {}) as { readonly references?: unknown };
    return Object.keys(references ?? {}).map((name) => ({
      word: `${name}.`,
      meaning: 'A state of this graph.',
      from: 0,
    }));
  },
  sections: {
    '': 'context-graph.md#graph',
    references: 'context-graph.md#references',
    states: 'context-graph.md#states',
    next_state: 'context-graph.md#targets',
    exit_conditions: 'context-graph.md#exits',
    decision_guidelines: 'context-graph.md#decisions',
    problem: 'context-graph.md#reflections',
    word_limit: 'context-graph.md#reflections',
    queries: 'context-graph.md#recalls',
    requested_information: 'context-graph.md#recalls',
    inner_thought: 'context-graph.md#annotations',
    side_effect: 'context-graph.md#side-effects',
    designated_tool: 'context-graph.md#tool-call-states',
    tool_call_specs: 'context-graph.md#tools',
    action_tool_call_specs: 'context-graph.md#tools',
    exit_condition_tool_call_specs: 'context-graph.md#tools',
    result_persistence: 'context-graph.md#result-persistence',
    topology_description: 'context-graph.md#topology',
  },
};
