import { check } from 'dramaturg';
import { type Benchmark, timeOf } from '../measure.ts';

/** The work that an editor waits for at each key: read, shape, rules, lowering and the checks of the chart. */
export const checkPlan: Benchmark = {
  name: 'check of a 50-state plan',
  unit: 'ms',
  atMost: 5,
  prepare: async () => {
    const text = planWith(50);
    timeOf(200, () => check(text));
    return () => timeOf(20, () => check(text));
  },
};

/** The lower bound: parsing the same text with the platform's parser, which records no positions. */
export const parsePlan: Benchmark = {
  name: 'JSON.parse of the same text',
  unit: 'ms',
  prepare: async () => {
    const text = planWith(50);
    return () => timeOf(200, () => JSON.parse(text));
  },
};

/** Creates a plan. Half of its states are strict, each has two tasks and two transitions. About 1 KB a state. */
export function planWith(states: number): string {
  const ids = Array.from({ length: states }, (_, index) => `state_${index}`);
  return JSON.stringify(
    {
      id: 'measured',
      title: 'Measured plan',
      initial_state_id: ids[0],
      states: ids.map((id, index) => ({
        id,
        title: `State ${index}`,
        type: index % 2 === 0 ? 'strict' : 'loose',
        description: 'A part of the conversation that is measured.',
        tasks: [
          {
            id: 'facts',
            description: 'Learn the facts',
            instruction: 'Ask for the facts in a friendly way, one at a time.',
            deliverables: [
              { key: `name_${index}`, type: 'string', description: 'The name of the thing' },
              { key: `count_${index}`, type: 'number', description: 'How many there are' },
            ],
          },
          {
            id: 'kind',
            description: 'Find out the kind',
            deliverables: [
              { key: `kind_${index}`, type: 'enum', enum_values: ['first', 'second', 'third'] },
            ],
          },
        ],
        transitions:
          index === states - 1
            ? []
            : [
                {
                  target_state_id: ids[Math.min(index + 2, states - 1)],
                  condition_type: 'deliverable_value',
                  priority: 1,
                  condition_config: { deliverable_key: `kind_${index}`, expected_value: 'second' },
                },
                {
                  target_state_id: ids[index + 1],
                  condition_type: 'all_tasks_complete',
                  priority: 10,
                },
              ],
      })),
    },
    undefined,
    2,
  );
}

/** Creates a plan of small states, about 290 bytes each, and each with one task. */
export function planOfSmall(states: number): string {
  const ids = Array.from({ length: states }, (_, index) => `state_${index}`);
  return JSON.stringify({
    id: 'measured',
    title: 'Measured plan',
    initial_state_id: ids[0],
    states: ids.map((id, index) => ({
      id,
      title: `State ${index}`,
      type: 'loose',
      description: 'A part of the conversation.',
      tasks: [
        {
          id: `task_${index}`,
          description: 'Learn the name',
          deliverables: [{ key: `name_${index}`, type: 'string', description: 'The name' }],
        },
      ],
      transitions: ids
        .slice(index + 1, index + 2)
        .map((target_state_id) => ({ target_state_id, condition_type: 'all_tasks_complete' })),
    })),
  });
}
