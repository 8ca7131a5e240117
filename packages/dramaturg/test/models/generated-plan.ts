import fc from 'fast-check';

/** A plan of up to four states, whose tasks want up to two values, or are done by speaking. */
export const generatedPlan = fc
  .record({
    types: fc.array(fc.constantFrom('strict', 'loose', 'goal'), { minLength: 1, maxLength: 4 }),
    tasks: fc.array(
      fc.record({
        state: fc.nat(3),
        required: fc.boolean(),
        keys: fc.uniqueArray(fc.constantFrom('x', 'y', 'z', 'w'), { maxLength: 2 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
    edges: fc.array(
      fc.record({
        from: fc.nat(3),
        to: fc.nat(4),
        condition: fc.constantFrom<object>(
          {},
          { condition_type: 'deliverable_exists', condition_config: { key: 'x' } },
          { condition_type: 'deliverable_value', condition_config: { key: 'y', value: 'yes' } },
          { condition_type: 'turn_count_exceeded', condition_config: { turns: 2 } },
        ),
      }),
      { maxLength: 8 },
    ),
  })
  .map(({ types, tasks, edges }) => ({
    id: 'generated',
    states: types.map((type, index) => ({
      id: `s${index}`,
      title: `State ${index}`,
      type,
      ...(type === 'goal' ? { goal: { objective: 'Get there' } } : {}),
      tasks: tasks
        .filter(({ state }) => state % types.length === index)
        .map(({ required, keys }, number) => ({
          id: `t${index}${number}`,
          description: `Task ${number}`,
          required,
          deliverables: keys.map((key) => ({ key, required })),
        })),
      transitions: edges
        .filter(({ from, to }) => from % types.length === index && to !== index)
        .map(({ to, condition }, priority) => ({
          target_state_id: to >= types.length ? '__end__' : `s${to}`,
          priority,
          ...condition,
        })),
    })),
  }));
