import { check, compile, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { npc, type Npc } from '../src/index.ts';
import {
  initial,
  maren,
  npcOf,
  passFail,
  row,
  rows,
  scenario,
  state,
  states,
  terminal,
} from './build.ts';

/** Recognition of definitions, their layouts, and the normalised spelling of their parts. */

const read = (definition: unknown) =>
  check(JSON.stringify(definition), { formats: [npc], format: 'npc' });
const npcIn = (definition: unknown) => read(definition).definition as Npc;

const two = [state('a', initial), state('b', terminal)];
const way = rows(row('a', 'pass', 'b', 3));
const one = scenario('s', states(...two), way);

describe('a definition is recognised', () => {
  const signs = (value: unknown) => {
    const recognition = npc.recognise(value);
    return recognition.matches ? recognition.signs.length : 0;
  };

  test.each([
    ['a persona with scenarios', npcOf([one])],
    ['a persona alone', maren],
    ['one scenario', one],
    ['a list of states', two],
    ['a state', state('greeting', initial)],
  ])('%s', (_, value) => {
    expect(signs(value)).toBeGreaterThan(0);
  });

  test.each([
    ['a conversation plan', { states: [{ id: 'a', tasks: [] }], initial_state_id: 'a' }],
    ['a list of a plan’s states', [{ id: 'a', transitions: [{ target_state_id: 'b' }] }]],
    ['a context graph', { states: { a: { type: 'action' }, b: { type: 'decision' } } }],
    ['Agent State Language', { StartAt: 'A', States: { A: { Type: 'Pass', End: true } } }],
    ['a lifecycle', { initial: 'pending', states: ['pending', 'active'], transitions: [] }],
    ['a scenario of another project', { base_persona: '...', states: { a: { transitions: [] } } }],
    ['nothing', null],
    ['a text', 'state_key'],
    ['a list of numbers', [1, 2]],
  ])('and not taken for %s', (_, value) => {
    expect(signs(value)).toBe(0);
  });
});

describe('layouts', () => {
  test('a persona’s fields may be next to its scenarios, under either of their names', () => {
    const { persona, scenarios } = npcIn({ ...maren, scenarios: [one] });
    expect(persona).toMatchObject({ name: 'Maren', at: [] });
    expect(scenarios[0]?.at).toEqual(['scenarios', 0]);
    expect(read({ ...maren, scenarios: [one] }).diagnostics).toEqual([]);
  });

  test('a state may hold its own transitions', () => {
    const nested = { transitions: [{ to_state_key: 'b', decision_type: 'pass', score_delta: 3 }] };
    const { scenarios } = npcIn(scenario('s', states(state('a', initial, nested), two[1]!)));
    expect(scenarios[0]?.transitions).toMatchObject([
      { from_state_key: 'a', to_state_key: 'b', at: ['states', 0, 'transitions', 0] },
    ]);
  });

  test('states without transitions lead to each other in the order of the list', () => {
    const listed = ['x', 'y', 'z'].map((key, index) => state(key, { display_order: 9 - index }));
    const { scenarios } = npcIn(listed);
    const [only] = scenarios;
    expect(
      only?.transitions.map(({ from_state_key, to_state_key }) => [from_state_key, to_state_key]),
    ).toEqual([
      ['x', 'y'],
      ['y', 'z'],
      ['z', 'end'],
    ]);
    expect(only?.scoring_mode).toBe('pass_fail');
    expect(read(listed).diagnostics.map(({ code }) => code)).toEqual([
      'npc/assumed-end',
      'npc/assumed-transitions',
      'npc/bare-states',
      'npc/assumed-initial-state',
    ]);
  });

  test('of states with transitions, those that lead nowhere lead to the generated end', () => {
    const nested = { transitions: [{ to_state_key: 'end', decision_type: 'pass' }] };
    const { scenarios } = npcIn([state('x', initial, nested), state('end')]);
    expect(scenarios[0]?.transitions.map(({ to_state_key }) => to_state_key)).toEqual([
      'end',
      'end 2',
    ]);
  });

  test('nothing is added to a whole scenario', () => {
    const { diagnostics } = read({ persona: maren, states: [state('a')] });
    expect(diagnostics.map(({ code }) => code)).toEqual([
      'npc/no-initial-state',
      'npc/no-terminal-state',
    ]);
  });
});

describe('spellings', () => {
  test.each(['pass_fail', 'pass/fail', 'passFail', 'PASS-FAIL'])('the mode %s', (mode) => {
    expect(npcIn({ ...one, scoring_mode: mode }).scenarios[0]?.scoring_mode).toBe('pass_fail');
  });

  test.each<[string, unknown, object]>([
    ['a text is what it takes to pass', 'Yes.', { pass: 'Yes.' }],
    ['a list is, too', ['Yes.', '', 'And no.'], { pass: 'Yes.\nAnd no.' }],
    ['a map has one text a verdict', { follow_up: ['Hm.'], pass: ' ' }, { follow_up: 'Hm.' }],
    ['nothing is nothing', null, {}],
  ])('criteria: %s', (_, evaluation_criteria, expected) => {
    const listed = [{ ...two[0]!, evaluation_criteria }, two[1]!];
    expect(npcIn({ ...one, states: listed }).scenarios[0]?.states[0]?.evaluation_criteria).toEqual(
      expected,
    );
  });

  test('defaults', () => {
    expect(npcIn(one).scenarios[0]).toMatchObject({
      scoring_mode: 'scoring',
      pass_threshold: 3,
      early_fail_bound: -3,
      redirect_limit: 3,
      follow_up_limit: 2,
      is_entry_machine: false,
      output_variables: [],
    });
  });

  test('rows that share a state and a decision are distinguished by their targets', () => {
    const { scenarios } = npcIn(
      scenario(
        's',
        states(...two, state('pass:b')),
        rows(
          row('a', 'pass', 'b', 0, { priority: 2 }),
          row('a', 'pass', 'b', 0, { priority: 1 }),
          row('a', 'pass', 'b:2', 0, { priority: 2 }),
          row('a', 'reject', 'b'),
        ),
      ),
    );
    expect(scenarios[0]?.transitions.map(({ row: name }) => name)).toEqual([
      'pass:b',
      'reject',
      'pass:b:2',
      'pass:b:2:2',
    ]);
  });
});

test('every authored node has its source path', () => {
  const definition = npcOf([
    scenario(
      's',
      passFail,
      states(state('a', initial, { evaluation_criteria: { follow_up: 'Hm.' } }), two[1]!),
      rows(row('a', 'pass', 'b'), row('a', 'kick_out', 'b')),
    ),
  ]);
  const { chart } = compile(JSON.stringify(definition), { formats: [npc] });
  const places: string[] = [];
  (function visit(key: string, node: JsonObject) {
    const { origin } = (node['meta'] ?? {}) as { origin?: readonly (string | number)[] };
    if (origin) places.push(`${key}: ${origin.join('.')}`);
    for (const [child, value] of Object.entries((node['states'] ?? {}) as JsonObject))
      visit(child, value as JsonObject);
  })('', chart as unknown as JsonObject);
  expect(places).toEqual([
    ': ',
    'scene: persona',
    's: machines.0',
    'a: machines.0.states.0',
    'conversing: machines.0.states.0',
    'follow_up: machines.0.states.0.evaluation_criteria.follow_up',
    // A kick-out ends in "a", and its last line uses the prompt of "b".
    'closed:s/a/b: machines.0.states.1',
    'b: machines.0.states.1',
  ]);
});

test.each([
  [4, []],
  [5, ['The best possible score is 4, below the condition_value 5, so this link never leads on.']],
])('a link that waits for a score of %i has the findings %j', (score, findings) => {
  const link = {
    source_machine_key: 's',
    target_machine_key: 'next',
    condition_type: 'score_gte',
    condition_value: score,
  };
  const transitions = rows(
    row('a', 'pass', 'b', 3),
    row('a', 'redirect', 'a', -1),
    // It ends the session in "a", with more than at the end of the scenario.
    row('a', 'kick_out', 'a', 4),
  );
  const entry = scenario('s', states(...two), transitions, { is_entry_machine: true });
  const next = scenario('next', states(...two), way);
  const { diagnostics } = read(npcOf([entry, next], { machine_links: [link] }));
  const found = diagnostics.filter(({ code }) => code === 'npc/threshold-out-of-reach');
  expect(found.map(({ message }) => message)).toEqual(findings);
});
