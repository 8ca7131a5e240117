/** Two definitions without findings that use all fields, for tests that add one mistake. */

export const intake = {
  title: 'Support',
  initial_state_id: 'intake',
  session_context: { fields: [{ id: 'age', label: 'Age', type: 'number' }] },
  metadata: { plan_builder: { start: { agent_spawn_mode: 'on_demand' } } },
  states: [
    {
      id: 'intake',
      title: 'Intake',
      type: 'strict',
      tasks: [
        {
          id: 'classify',
          description: 'Classify',
          required: true,
          deliverables: [
            { key: 'issue', type: 'enum', enum_values: ['billing', 'device'], required: true },
            { key: 'urgent', type: 'boolean' },
          ],
        },
      ],
      transitions: [
        {
          target_state_id: 'money',
          condition_type: 'deliverable_value',
          priority: 1,
          condition_config: { deliverable_key: 'issue', expected_value: 'billing' },
        },
        {
          target_state_id: 'desk',
          condition_type: 'deliverable_value',
          priority: 2,
          condition_config: { deliverable_key: 'issue', expected_value: 'device' },
        },
      ],
    },
    {
      id: 'money',
      title: 'Money',
      tasks: [{ id: 'amount', description: 'Ask the amount', deliverables: [{ key: 'amount' }] }],
      transitions: [{ target_state_id: 'desk' }],
    },
    { id: 'desk', title: 'Desk', tasks: [] },
  ],
};

export const shelter = {
  persona: { name: 'Maren', persona_identity_prompt: 'You keep the light.' },
  machines: [
    {
      machine_key: 'shelter',
      scoring_mode: 'scoring',
      pass_threshold: 2,
      early_fail_bound: -2,
      output_variables: [{ key: 'guest', extraction_prompt: 'Who is it?' }],
      states: [
        {
          state_key: 'door',
          is_initial_state: true,
          prompt_instruction: 'Ask who is there.',
          evaluation_criteria: { pass: 'A name.', reject: 'A threat.' },
        },
        { state_key: 'hearth', prompt_instruction: 'Ask {{guest}} what brought them.' },
        { state_key: 'room', is_terminal_state: true },
      ],
      transitions: [
        { from_state_key: 'door', to_state_key: 'hearth', decision_type: 'pass', score_delta: 1 },
        {
          from_state_key: 'door',
          to_state_key: 'hearth',
          decision_type: 'reject',
          score_delta: -1,
        },
        { from_state_key: 'hearth', to_state_key: 'room', decision_type: 'pass', score_delta: 1 },
      ],
    },
  ],
};
