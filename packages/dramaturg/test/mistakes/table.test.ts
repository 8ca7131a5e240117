import { check } from '../../src/index.ts';
import { describe, expect, test } from 'vitest';
import { intake, shelter } from './clean.ts';
import { findingsOf, notForPeople, valueAt } from './mutate.ts';

/** A change in a clean definition by path (`undefined` removes the value), and its one finding: severity, code, path. */
interface Mistake {
  readonly format: 'plan' | 'npc';
  readonly mistake: string;
  readonly change: Readonly<Record<string, unknown>>;
  readonly finding: string;
}

const clean = { plan: intake, npc: shelter };

const mistakes: readonly Mistake[] = [
  {
    format: 'plan',
    mistake: 'unknown target',
    change: { 'states.0.transitions.0.target_state_id': 'mony' },
    finding: 'error plan/unknown-target states.0.transitions.0.target_state_id',
  },
  {
    format: 'plan',
    mistake: 'a target without any slip',
    change: { 'states.0.transitions.0.target_state_id': 'billing' },
    finding: 'error plan/unknown-target states.0.transitions.0.target_state_id',
  },
  {
    format: 'plan',
    mistake: 'an id that two transitions name',
    change: { 'states.2.id': 'dsek' },
    finding: 'error plan/unknown-target states.0.transitions.1.target_state_id',
  },
  {
    format: 'plan',
    mistake: 'a key that is misspelt',
    change: {
      'states.0.transistions': [
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
      'states.0.transitions': undefined,
    },
    finding: 'warning shape/misspelt-field states.0.transistions',
  },
  {
    format: 'plan',
    mistake: 'transitions as an object',
    change: {
      'states.0.transitions': {
        target_state_id: 'money',
        condition_type: 'deliverable_value',
        priority: 1,
        condition_config: { deliverable_key: 'issue', expected_value: 'billing' },
      },
    },
    finding: 'error shape/wrong-type states.0.transitions',
  },
  {
    format: 'plan',
    mistake: 'transitions as a text',
    change: { 'states.0.transitions': 'money' },
    finding: 'error shape/wrong-type states.0.transitions',
  },
  {
    format: 'plan',
    mistake: 'tasks as an object',
    change: {
      'states.0.tasks': {
        id: 'classify',
        description: 'Classify',
        required: true,
        deliverables: [
          { key: 'issue', type: 'enum', enum_values: ['billing', 'device'], required: true },
          { key: 'urgent', type: 'boolean' },
        ],
      },
    },
    finding: 'error shape/wrong-type states.0.tasks',
  },
  {
    format: 'plan',
    mistake: 'tasks null',
    change: { 'states.0.tasks': null },
    finding:
      'warning plan/undeclared-deliverable states.0.transitions.0.condition_config.deliverable_key',
  },
  {
    format: 'plan',
    mistake: 'states null',
    change: { states: null },
    finding: 'error shape/wrong-type states',
  },
  {
    format: 'plan',
    mistake: 'states as an object',
    change: {
      states: {
        intake: {
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
      },
    },
    finding: 'error shape/wrong-type states',
  },
  {
    format: 'plan',
    mistake: 'no states at all',
    change: { states: [] },
    finding: 'error plan/no-states states',
  },
  {
    format: 'plan',
    mistake: 'a state as a text',
    change: { 'states.1': 'money' },
    finding: 'error shape/wrong-type states.1',
  },
  {
    format: 'plan',
    mistake: 'a state without anything',
    change: { 'states.1': {} },
    finding: 'error shape/missing-field states.1',
  },
  {
    format: 'plan',
    mistake: 'an unknown mode',
    change: { 'states.0.type': 'strickt' },
    finding: 'warning plan/unknown-state-type states.0.type',
  },
  {
    format: 'plan',
    mistake: 'another mode',
    change: { 'states.0.type': 'parallel' },
    finding: 'warning plan/unknown-state-type states.0.type',
  },
  {
    format: 'plan',
    mistake: 'a spawn mode',
    change: { 'metadata.plan_builder.start.agent_spawn_mode': 'ondemnad' },
    finding: 'warning plan/unknown-spawn-mode metadata.plan_builder.start.agent_spawn_mode',
  },
  {
    format: 'plan',
    mistake: 'a boolean in quotes',
    change: { 'states.0.tasks.0.required': 'true' },
    finding: 'error shape/wrong-type states.0.tasks.0.required',
  },
  {
    format: 'plan',
    mistake: 'yes for true',
    change: { 'states.0.tasks.0.required': 'yes' },
    finding: 'error shape/wrong-type states.0.tasks.0.required',
  },
  {
    format: 'plan',
    mistake: 'a number for a boolean',
    change: { 'states.0.tasks.0.required': 1 },
    finding: 'error shape/wrong-type states.0.tasks.0.required',
  },
  {
    format: 'plan',
    mistake: 'null for a boolean',
    change: { 'states.0.tasks.0.deliverables.0.required': null },
    finding: 'error shape/wrong-type states.0.tasks.0.deliverables.0.required',
  },
  {
    format: 'plan',
    mistake: 'a priority that is a word',
    change: { 'states.0.transitions.0.priority': 'first' },
    finding: 'error plan/bad-priority states.0.transitions.0.priority',
  },
  {
    format: 'plan',
    mistake: 'a priority as a list',
    change: { 'states.0.transitions.0.priority': [1] },
    finding: 'error shape/wrong-type states.0.transitions.0.priority',
  },
  {
    format: 'plan',
    mistake: 'an id as a number',
    change: { 'states.1.id': 5 },
    finding: 'error shape/wrong-type states.1.id',
  },
  {
    format: 'plan',
    mistake: 'a title as an object',
    change: { 'states.1.title': { en: 'Money' } },
    finding: 'error shape/wrong-type states.1.title',
  },
  {
    format: 'plan',
    mistake: 'no title',
    change: { title: undefined },
    finding: 'warning plan/missing-title',
  },
  {
    format: 'plan',
    mistake: 'no title of a state',
    change: { 'states.1.title': undefined },
    finding: 'warning plan/missing-title states.1',
  },
  {
    format: 'plan',
    mistake: 'another word for a condition',
    change: { 'states.0.transitions.0.condition_type': 'deliverable_equals' },
    finding: 'error plan/unknown-condition-type states.0.transitions.0.condition_type',
  },
  {
    format: 'plan',
    mistake: 'no type of the condition',
    change: { 'states.0.transitions.0.condition_type': undefined },
    finding: 'warning plan/condition-without-type states.0.transitions.0.condition_config',
  },
  {
    format: 'plan',
    mistake: 'no config',
    change: { 'states.0.transitions.0.condition_config': undefined },
    finding: 'error plan/missing-condition-field states.0.transitions.0',
  },
  {
    format: 'plan',
    mistake: 'a key of the config misspelt',
    change: {
      'states.0.transitions.0.condition_config': {
        deliverable_key: 'issue',
        expeced_value: 'billing',
      },
    },
    finding: 'error plan/missing-condition-field states.0.transitions.0.condition_config',
  },
  {
    format: 'plan',
    mistake: 'a key nobody collects',
    change: { 'states.0.transitions.0.condition_config.deliverable_key': 'isue' },
    finding:
      'warning plan/undeclared-deliverable states.0.transitions.0.condition_config.deliverable_key',
  },
  {
    format: 'plan',
    mistake: 'a value it never has',
    change: { 'states.0.transitions.0.condition_config.expected_value': 'biling' },
    finding: 'warning plan/impossible-value states.0.transitions.0.condition_config.expected_value',
  },
  {
    format: 'plan',
    mistake: 'a value that no transition takes',
    change: { 'states.0.tasks.0.deliverables.0.enum_values': ['billing', 'device', 'other'] },
    finding: 'warning plan/uncovered-value states.0.transitions',
  },
  {
    format: 'plan',
    mistake: 'transitions that wait for something optional',
    change: { 'states.0.tasks.0.deliverables.0.required': false },
    finding: 'warning plan/no-way-on states.0.transitions',
  },
  {
    format: 'plan',
    mistake: 'an enum without values',
    change: { 'states.0.tasks.0.deliverables.0.enum_values': undefined },
    finding: 'error plan/enum-without-values states.0.tasks.0.deliverables.0',
  },
  {
    format: 'plan',
    mistake: 'a type of a deliverable',
    change: { 'states.0.tasks.0.deliverables.0.type': 'enumm' },
    finding: 'warning plan/unknown-deliverable-type states.0.tasks.0.deliverables.0.type',
  },
  {
    format: 'plan',
    mistake: 'a deliverable without a key',
    change: { 'states.0.tasks.0.deliverables.0.key': undefined },
    finding: 'error plan/missing-key states.0.tasks.0.deliverables.0',
  },
  {
    format: 'plan',
    mistake: 'a field of the session context',
    change: { 'session_context.fields.0': { id: 'age', label: 'Age', kind: 'number' } },
    finding: 'warning plan/unknown-context-field session_context.fields.0.kind',
  },
  {
    format: 'plan',
    mistake: 'a type of a session field',
    change: { 'session_context.fields.0.type': 'integer' },
    finding: 'error shape/wrong-value session_context.fields.0.type',
  },
  {
    format: 'plan',
    mistake: 'a key of the session context',
    change: { session_context: { feilds: [] } },
    finding: 'error shape/misspelt-field session_context.feilds',
  },
  {
    format: 'plan',
    mistake: 'an initial state',
    change: { initial_state_id: 'intak' },
    finding: 'error plan/unknown-initial-state initial_state_id',
  },
  {
    format: 'plan',
    mistake: 'a loop without an end',
    change: { 'states.1.transitions.0.target_state_id': 'intake' },
    finding: 'warning plan/loop states.0',
  },
  {
    format: 'plan',
    mistake: 'a state that leads to itself',
    change: { 'states.1.transitions.0.target_state_id': 'money' },
    finding: 'warning plan/no-way-to-the-end states.1',
  },
  {
    format: 'npc',
    mistake: 'a scoring mode',
    change: { 'machines.0.scoring_mode': 'passfail2' },
    finding: 'error npc/unknown-scoring-mode machines.0.scoring_mode',
  },
  {
    format: 'npc',
    mistake: 'another scoring mode',
    change: { 'machines.0.scoring_mode': 'points' },
    finding: 'error npc/unknown-scoring-mode machines.0.scoring_mode',
  },
  {
    format: 'npc',
    mistake: 'an unknown state',
    change: { 'machines.0.transitions.0.to_state_key': 'herth' },
    finding: 'error npc/unknown-state machines.0.transitions.0.to_state_key',
  },
  {
    format: 'npc',
    mistake: 'a state that rows name',
    change: { 'machines.0.states.1.state_key': 'fire' },
    finding: 'error npc/unknown-state machines.0.transitions.0.to_state_key',
  },
  {
    format: 'npc',
    mistake: 'a decision',
    change: { 'machines.0.transitions.0.decision_type': 'pas' },
    finding: 'error npc/unknown-decision machines.0.transitions.0.decision_type',
  },
  {
    format: 'npc',
    mistake: 'no transitions',
    change: { 'machines.0.transitions': undefined },
    finding: 'warning npc/no-transitions machines.0',
  },
  {
    format: 'npc',
    mistake: 'transitions null',
    change: { 'machines.0.transitions': null },
    finding: 'warning npc/no-transitions machines.0',
  },
  {
    format: 'npc',
    mistake: 'transitions as an object',
    change: { 'machines.0.transitions': {} },
    finding: 'error shape/wrong-type machines.0.transitions',
  },
  {
    format: 'npc',
    mistake: 'states null',
    change: { 'machines.0.states': null },
    finding: 'error shape/wrong-type machines.0.states',
  },
  {
    format: 'npc',
    mistake: 'machines as an object',
    change: {
      machines: {
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
    },
    finding: 'error shape/wrong-type machines',
  },
  {
    format: 'npc',
    mistake: 'no initial state',
    change: { 'machines.0.states.0.is_initial_state': undefined },
    finding: 'error npc/no-initial-state machines.0.states',
  },
  {
    format: 'npc',
    mistake: 'an initial state in quotes',
    change: { 'machines.0.states.0.is_initial_state': 'yes' },
    finding: 'error shape/wrong-type machines.0.states.0.is_initial_state',
  },
  {
    format: 'npc',
    mistake: 'no terminal state',
    change: { 'machines.0.states.2.is_terminal_state': undefined },
    finding: 'error npc/no-terminal-state machines.0.states',
  },
  {
    format: 'npc',
    mistake: 'a terminal state in quotes',
    change: { 'machines.0.states.2.is_terminal_state': 'true' },
    finding: 'error shape/wrong-type machines.0.states.2.is_terminal_state',
  },
  {
    format: 'npc',
    mistake: 'a terminal state that rows leave',
    change: { 'machines.0.states.1.is_terminal_state': true },
    finding: 'error npc/leaves-terminal-state machines.0.transitions.2.from_state_key',
  },
  {
    format: 'npc',
    mistake: 'a loop without an end',
    change: { 'machines.0.transitions.2.to_state_key': 'door' },
    finding: 'warning npc/no-way-to-an-end machines.0.states.0',
  },
  {
    format: 'npc',
    mistake: 'a reject that leads elsewhere',
    change: { 'machines.0.transitions.1.to_state_key': 'room' },
    finding: 'warning npc/reject-elsewhere machines.0.transitions.1.to_state_key',
  },
  {
    format: 'npc',
    mistake: 'a row without a target',
    change: { 'machines.0.transitions.0.to_state_key': undefined },
    finding: 'error shape/missing-field machines.0.transitions.0',
  },
  {
    format: 'npc',
    mistake: 'a row without anything',
    change: { 'machines.0.transitions.0': {} },
    finding: 'error shape/missing-field machines.0.transitions.0',
  },
  {
    format: 'npc',
    mistake: 'a score in quotes',
    change: { 'machines.0.transitions.0.score_delta': '1' },
    finding: 'error shape/wrong-type machines.0.transitions.0.score_delta',
  },
  {
    format: 'npc',
    mistake: 'half a point',
    change: { 'machines.0.transitions.0.score_delta': 0.5 },
    finding: 'error shape/wrong-type machines.0.transitions.0.score_delta',
  },
  {
    format: 'npc',
    mistake: 'a threshold out of reach',
    change: { 'machines.0.pass_threshold': 9 },
    finding: 'warning npc/threshold-out-of-reach machines.0.pass_threshold',
  },
  {
    format: 'npc',
    mistake: 'a criterion',
    change: { 'machines.0.states.0.evaluation_criteria.passs': 'x' },
    finding: 'error shape/unread-field machines.0.states.0.evaluation_criteria.passs',
  },
  {
    format: 'npc',
    mistake: 'a verdict that is none',
    change: { 'machines.0.states.0.evaluation_criteria.praise': 'x' },
    finding: 'error shape/unread-field machines.0.states.0.evaluation_criteria.praise',
  },
  {
    format: 'npc',
    mistake: 'criteria as a number',
    change: { 'machines.0.states.0.evaluation_criteria': 5 },
    finding: 'error shape/wrong-type machines.0.states.0.evaluation_criteria',
  },
  {
    format: 'npc',
    mistake: 'a variable that nothing brings',
    change: { 'machines.0.output_variables.0.key': 'geust' },
    finding: 'warning npc/unknown-variable machines.0.states.1.prompt_instruction',
  },
  {
    format: 'npc',
    mistake: 'a scenario without a key',
    change: { 'machines.0.machine_key': undefined },
    finding: 'error shape/missing-field machines.0',
  },
  {
    format: 'npc',
    mistake: 'an outcome under scoring',
    change: { 'machines.0.states.2.terminal_outcome': 'ACCEPT' },
    finding: 'warning npc/ignored-outcome machines.0.states.2.terminal_outcome',
  },
  {
    format: 'npc',
    mistake: 'a limit',
    change: { 'machines.0.redirect_limit': -1 },
    finding: 'error npc/bad-limit machines.0.redirect_limit',
  },
  {
    format: 'npc',
    mistake: 'a limit misspelt',
    change: { 'machines.0.redirect_limt': 2 },
    finding: 'error shape/unread-field machines.0.redirect_limt',
  },
  ...(
    [
      ['plan', 'states.0.transitions.0.negate'],
      ['plan', 'states.0.transitions.0.operator'],
      ['plan', 'states.0.tasks.0.deliverables.0.patern'],
      ['plan', 'states.0.tasks.0.deliverables.0.minlength'],
      ['npc', 'machines.0.transitions.0.min_score'],
      ['npc', 'machines.0.states.0.folow_up_limit'],
    ] as const
  ).map(([format, path]) => ({
    format,
    mistake: `${path}, which nothing reads,`,
    change: { [path]: 1 },
    finding: `error shape/unread-field ${path}`,
  })),
];

test('the clean definitions have no findings', () => {
  expect(findingsOf(intake, 'plan')).toEqual([]);
  expect(findingsOf(shelter, 'npc')).toEqual([]);
});

describe.each(['json', 'yaml'])('in %s', (language) => {
  test.each(mistakes)('$format: $mistake gives one finding', ({ format, change, finding }) => {
    const { diagnostics } = check(serialise(changed(clean[format], change), language), {
      format,
      fileName: `x.${language}`,
    });
    const found = diagnostics.filter(({ severity }) => severity !== 'info');
    expect(
      found.map(({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`.trim()),
    ).toEqual([finding]);
    const [{ message, hint = '' } = { message: '', hint: '' }] = found;
    expect(`${message} ${hint}`).not.toMatch(notForPeople);
    expect(hint).not.toBe('');
  });
});

function changed(definition: object, change: Mistake['change']): unknown {
  const made: unknown = structuredClone(definition);
  for (const [place, value] of Object.entries(change)) {
    const path = place.split('.');
    const holder = valueAt(made, path.slice(0, -1)) as Record<string, unknown>;
    if (value === undefined) delete holder[path.at(-1)!];
    else holder[path.at(-1)!] = value;
  }
  return made;
}

/** Prints a definition as YAML in block style. */
function serialise(value: unknown, language: string): string {
  return language === 'json'
    ? JSON.stringify(value, null, 2)
    : `${blockOf(value, '').trimStart()}\n`;
}

function blockOf(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0)
    return ` ${JSON.stringify(value)}`;
  if (Array.isArray(value))
    return value.map((item) => `\n${indent}-${blockOf(item, `${indent}  `)}`).join('');
  return Object.entries(value)
    .map(([key, item]) => `\n${indent}${JSON.stringify(key)}:${blockOf(item, `${indent}  `)}`)
    .join('');
}

test.each([
  [
    { 'states.0.transitions.0': 'target_state_id desk' },
    'Write a colon after the key: target_state_id: desk',
  ],
  [{ 'states.0.transitions.0': 'some words' }, 'Write an object in braces: { ... }.'],
  [{ 'states.0': [intake.states[0]] }, 'Remove the brackets around it.'],
  [{ 'states.0.tasks.0.required': 'yes' }, 'Write true without quotes.'],
  [{ 'states.0.id': 7 }, 'Write "7" in quotes.'],
  [
    { 'states.0.tasks.0.deliverables.0.enum_values': 'billing' },
    'Put it into a list: ["billing"].',
  ],
])('a value of the wrong type has a hint: %j', (change, hint) => {
  const { diagnostics } = check(JSON.stringify(changed(intake, change)));
  expect(diagnostics.map((each) => each.hint)).toContain(hint);
});
