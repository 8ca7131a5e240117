import fc from 'fast-check';

const keys = ['s.0', '#1', '__proto__', 'constructor'];
const decision = fc.constantFrom('pass', 'redirect', 'reject', 'kick_out');

/** A scenario that has no errors by construction. */
export const soundScenario = fc
  .record({
    scoring_mode: fc.constantFrom('scoring', 'pass_fail'),
    pass_threshold: fc.integer({ min: -1, max: 4 }),
    early_fail_bound: fc.integer({ min: -4, max: -2 }),
    redirect_limit: fc.constantFrom(null, 0, 1, 3),
    follow_up_limit: fc.integer({ min: 0, max: 3 }),
    followUps: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    rows: fc.array(
      fc.record({
        from: fc.nat(3),
        to: fc.nat(8),
        decision_type: decision,
        score_delta: fc.integer({ min: -3, max: 3 }),
        priority: fc.nat(2),
      }),
      { maxLength: 14 },
    ),
  })
  .map(({ followUps, rows, ...fields }) => ({
    machine_key: 'x.y/z',
    name: 'X',
    ...fields,
    states: [
      ...keys.map((state_key, index) => ({
        state_key,
        label: state_key,
        prompt_instruction: `Play ${index}.`,
        is_initial_state: index === 0,
        evaluation_criteria: { pass: 'Good.', ...(followUps[index] ? { follow_up: 'Hm.' } : {}) },
      })),
      ...['won', 'lost'].map((state_key) => ({
        state_key,
        label: state_key,
        prompt_instruction: `Say ${state_key}.`,
        is_terminal_state: true,
      })),
    ],
    transitions: rows
      .filter(({ from, to, decision_type }) => decision_type !== 'pass' || from !== to)
      .map(({ from, to, ...row }) => ({
        from_state_key: keys[from],
        to_state_key: [...keys, 'won', 'lost', '__human__', '__end__', '__restart__'][to],
        ...row,
      })),
  }));
