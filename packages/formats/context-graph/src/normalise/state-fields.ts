import type { StateType } from '../state-types.ts';

/** The fields of a type of state. Spec: docs/formats/context-graph.md#states */
interface Fields {
  readonly required: readonly string[];
  /** Required by the seed. The profile `lenient` reads missing ones as empty. */
  readonly lenient: readonly string[];
  readonly optional: readonly string[];
}

/** Spec: docs/formats/context-graph.md#graph */
export const fieldsOfGraph: readonly string[] = [
  'name',
  'description',
  'new_user_initial_state',
  'returning_user_initial_state',
  'terminal_state',
  'references',
  'global_intra_state_navigation_guidelines',
  'global_action_guidelines',
  'global_boundary_constraints',
  'topology_description',
  'on_end',
  'states',
];

const named = ['type', 'name'];
const voiced = ['audio_fillers', 'audio_filler_triggered_after'];

export const fieldsOf: Readonly<Record<StateType, Fields>> = {
  action: {
    required: ['objective'],
    lenient: [
      'intra_state_navigation_guidelines',
      'action_guidelines',
      'boundary_constraints',
      'exit_conditions',
    ],
    optional: [
      ...named,
      // A rule of its own says that there is at least one.
      'actions',
      'action_tool_call_specs',
      'exit_condition_tool_call_specs',
      'skip_active_memory_retrieval',
    ],
  },
  decision: {
    required: ['objective'],
    lenient: [],
    optional: [
      ...named,
      // A rule of its own says that there is at least one.
      'exit_conditions',
      'decision_guidelines',
      'tool_call_specs',
      ...voiced,
    ],
  },
  reflection: {
    required: ['problem', 'next_state'],
    lenient: [],
    optional: [...named, 'word_limit', 'tool_call_specs', ...voiced],
  },
  recall: {
    required: ['next_state'],
    lenient: [],
    optional: [...named, 'queries', 'requested_information'],
  },
  annotation: { required: ['inner_thought', 'next_state'], lenient: [], optional: named },
  'side-effect': { required: ['side_effect', 'next_state'], lenient: [], optional: named },
  'tool-call': {
    required: [
      'designated_tool',
      'designated_tool_call_objective',
      'designated_tool_call_context',
      'next_state',
    ],
    lenient: [],
    optional: [
      ...named,
      'designated_tool_call_guidances',
      'designated_tool_call_validations',
      'designated_tool_call_params_generation_audio_fillers',
      'designated_tool_call_params_generation_audio_filler_triggered_after',
      'tool_call_specs',
    ],
  },
};
