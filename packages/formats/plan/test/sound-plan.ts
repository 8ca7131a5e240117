import type { JsonObject } from '@dramaturg/compiler';
import fc from 'fast-check';

/** A plan that has no errors by construction: names are repaired and conditions are valid. */
export const soundPlan = fc
  .record({
    types: fc.array(fc.constantFrom('strict', 'loose', 'goal'), { minLength: 1, maxLength: 5 }),
    tasks: fc.array(
      fc.record({
        state: fc.nat(4),
        required: fc.boolean(),
        keys: fc.uniqueArray(fc.constantFrom('x', 'y', 'z', 'constructor'), { maxLength: 3 }),
        optional: fc.boolean(),
      }),
      { maxLength: 8 },
    ),
    edges: fc.array(
      fc.record({
        from: fc.nat(4),
        to: fc.nat(5),
        priority: fc.nat(3),
        condition: fc.constantFrom<JsonObject>(
          {},
          { condition_type: 'deliverable_exists', condition_config: { key: 'x' } },
          { condition_type: 'deliverable_value', condition_config: { key: 'y', value: 'yes' } },
          { condition_type: 'turn_count_exceeded', condition_config: { turns: 0 } },
          { condition_type: 'turn_count_exceeded', condition_config: { turns: 2, scope: 'total' } },
          {
            condition_type: 'any_of',
            condition_config: {
              conditions: [
                { type: 'all_tasks_complete' },
                { type: 'deliverable_exists', config: { key: 'z' } },
              ],
            },
          },
        ),
      }),
      { maxLength: 12 },
    ),
  })
  .map(({ types, tasks, edges }) => ({
    id: 'sound',
    states: types.map((type, index) => ({
      id: `s.${index}`,
      title: 'S',
      type,
      ...(type === 'goal' ? { goal: { objective: 'Get there' } } : {}),
      tasks: tasks
        .filter(({ state: at }) => at % types.length === index)
        .map(({ required, keys, optional }, number) => ({
          id: `t${number}`,
          description: 'T',
          required,
          deliverables: keys.map((key) => ({ key, required: !optional })),
        })),
      transitions: edges
        .filter(({ from }) => from % types.length === index)
        .map(({ to, priority, condition: guard }) => ({
          target_state_id: to >= types.length ? '__end__' : `s.${to}`,
          priority,
          ...guard,
        })),
    })),
  }));
