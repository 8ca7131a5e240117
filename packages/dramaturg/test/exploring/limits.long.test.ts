import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { explore } from '../../src/exploring/explore.ts';

const bounds = { steps: 600, seconds: 3_600 };

const explored = (definition: object, format: string, mutantsMax?: number) =>
  explore(compile(JSON.stringify(definition), { format }), {
    bounds,
    ...(mutantsMax === undefined
      ? {}
      : { mutation: { mutantsMax, compile: (text: string) => compile(text, { format }) } }),
  });

const question = (id: string) => ({ id, description: id, deliverables: [{ key: id }] });

test('a limit of turns is reached although many answers lead elsewhere', async () => {
  const keys = ['name', 'street', 'town', 'country', 'phone'];
  const { unreached } = await explored(
    {
      states: [
        {
          id: 'address',
          tasks: keys.map(question),
          transitions: [
            { target_state_id: 'bye' },
            {
              target_state_id: 'helper',
              condition_type: 'turn_count_exceeded',
              condition_config: { turns: 9 },
              priority: 50,
            },
          ],
        },
        { id: 'helper', tasks: [question('callback')] },
        { id: 'bye', tasks: [] },
      ],
    },
    'plan',
  );
  expect(unreached.filter(({ kind }) => kind === 'state')).toEqual([]);
});

test('a transition to a person for all states is missed in none of them', async () => {
  const definition = {
    deliverables: [{ key: 'emergency', type: 'boolean' }],
    transitions: [
      {
        target_state_id: '__human__',
        condition_type: 'deliverable_value',
        condition_config: { deliverable_key: 'emergency', expected_value: true },
      },
    ],
    states: [
      { id: 'one', tasks: [question('name')], transitions: [{ target_state_id: 'two' }] },
      { id: 'two', tasks: [question('day')], transitions: [{ target_state_id: '__end__' }] },
    ],
  };
  const { mutants = [] } = await explored(definition, 'plan', 100);
  const excepted = mutants.filter(({ path }) => path.at(-1) === 'except_states');
  expect(excepted.map(({ words, fate }) => [words, fate])).toEqual([
    ['not in "one"', 'found'],
    ['not in "two"', 'found'],
  ]);
});

const action = (name: string, ...exits: readonly string[]) => ({
  type: 'action',
  name,
  objective: name,
  actions: [`Speaks of ${name}`],
  exit_conditions: exits.map((next_state) => ({ description: `to ${next_state}`, next_state })),
  intra_state_navigation_guidelines: [],
  action_guidelines: [],
  boundary_constraints: [],
});

test('tests of a context graph begin with the agent, and fail when a reflection is bypassed', async () => {
  const graph = {
    name: 'triage',
    new_user_initial_state: 'ask',
    returning_user_initial_state: 'ask',
    terminal_state: 'bye',
    references: {},
    states: [
      action('ask', 'weigh', 'repeat'),
      action('repeat', 'weigh', 'bye'),
      { type: 'reflection', name: 'weigh', problem: 'Is it urgent?', next_state: 'bye' },
      action('bye'),
    ],
  };
  const { tests, unreached, mutants = [] } = await explored(graph, 'context-graph', 200);
  expect(unreached.filter(({ isUnreachable }) => !isUnreachable)).toEqual([]);
  const openings = tests.flatMap(({ steps: [first] }) => first?.answers ?? []);
  expect(openings.filter(({ choose }) => JSON.stringify(choose).startsWith('"E'))).toEqual([]);
  const bypasses = mutants.filter(({ words }) => words === 'leads to "bye" instead of "weigh"');
  expect(bypasses.map(({ fate }) => fate)).toEqual(['found', 'found']);
});

test('the time limits of a workflow are found by its tests, and those of a lifecycle too', async () => {
  const workflow = {
    TimeoutSeconds: 900,
    StartAt: 'Ask',
    States: {
      Ask: { Type: 'Task', Agent: 'Ask', TimeoutSeconds: 300, HeartbeatSeconds: 60, Next: 'Rest' },
      Rest: { Type: 'Wait', Seconds: 90, End: true },
    },
  };
  const lifecycle = {
    states: {
      OPEN: { kind: 'initial', timer: { event: 'late', after_ms: 90_000 } },
      LATE: 'terminal',
    },
    transitions: [
      { from: null, event: 'create', to: 'OPEN' },
      { from: 'OPEN', event: 'late', to: 'LATE' },
    ],
  };
  const [ofWorkflow, ofLifecycle] = await Promise.all([
    explored(workflow, 'asl', 100),
    explored(lifecycle, 'lifecycle', 100),
  ]);
  for (const { mutants = [] } of [ofWorkflow, ofLifecycle]) {
    const times = mutants.filter(({ path }) => /Seconds$|_ms$/.test(String(path.at(-1))));
    expect(times.length).toBeGreaterThan(1);
    expect(times.filter(({ fate }) => !/found|added|refused/.test(fate))).toEqual([]);
  }
});

test('who may decide, what an approver may change and what is asked are tested', async () => {
  const workflow = {
    StartAt: 'Ask',
    States: {
      Ask: {
        Type: 'Approval',
        Prompt: 'Pay {{$.sum}}?',
        Editable: { Fields: ['$.sum'] },
        Policy: { Approvers: ['ana', 'bob', 'dan'], ExcludeRequestor: true },
        ResultPath: '$.decision',
        End: true,
      },
    },
  };
  const { mutants = [] } = await explored(workflow, 'asl', 100);
  const wanted = mutants.filter(({ path }) => /Prompt|Policy|Editable/.test(path.join('.')));
  expect(wanted.length).toBeGreaterThan(5);
  expect(wanted.filter(({ fate }) => !/found|added|refused/.test(fate))).toEqual([]);
});

test('what follows a conversation is tested: a definition that it starts, and a scenario that it opens', async () => {
  const conversation = {
    on_end: { start: 'reminder', input: { name: '{{name}}' }, outcomes: ['completed'] },
    states: [{ id: 'one', tasks: [question('name')] }],
  };
  const scenario = (key: string) => ({
    machine_key: key,
    scoring_mode: 'scoring',
    pass_threshold: 1,
    states: [
      {
        state_key: 'ask',
        is_initial_state: true,
        evaluation_criteria: { pass: 'Yes.', reject: 'No.' },
      },
      { state_key: 'end', is_terminal_state: true },
    ],
    transitions: [
      { from_state_key: 'ask', to_state_key: 'end', decision_type: 'pass', score_delta: 1 },
      { from_state_key: 'ask', to_state_key: 'end', decision_type: 'reject', score_delta: -1 },
    ],
  });
  const link = {
    source_machine_key: 'door',
    target_machine_key: 'hall',
    condition_type: 'score_lte',
    condition_value: -1,
  };
  const persona = { name: 'Maren', persona_identity_prompt: 'You keep the light.' };
  const machines = [{ ...scenario('door'), is_entry_machine: true }, scenario('hall')];
  const started = await explored(conversation, 'plan');
  const opened = await explored({ persona, machines, machine_links: [link] }, 'npc');
  const follows = [...started.tests, ...opened.tests].flatMap(({ steps }) =>
    steps.flatMap(({ emitted = [] }) => emitted),
  );
  const start = { type: 'start.requested', start: 'reminder' };
  expect(follows).toContainEqual(expect.objectContaining(start));
  expect(follows).toContainEqual(
    expect.objectContaining({
      type: 'scenario.completed',
      unlocked: [expect.objectContaining({ machine_key: 'hall' })],
    }),
  );
  expect(follows).toContainEqual({ type: 'scenario.completed', unlocked: [] });
});

test('a mistake that makes no difference in the moves that were tried is unknown, unless all were tried or the chart is the same', async () => {
  const ask = (agent: string, next: object) => ({ Type: 'Task', Agent: agent, ...next });
  const definition = {
    StartAt: 'One',
    States: {
      One: ask('Ask', { Comment: 'first', Next: 'Way' }),
      Way: {
        Type: 'Choice',
        Choices: [
          { Variable: '$.a', NumericGreaterThan: 1, Next: 'Two' },
          { Variable: '$.b', StringEquals: 'x', Next: 'Two' },
        ],
        Default: 'Two',
      },
      Two: ask('Ask', { End: true }),
    },
  };
  const { mutants = [] } = await explored(definition, 'asl', 100);
  const fates = new Map(mutants.map(({ words, fate }) => [words, fate]));
  expect(fates.get('items 1 and 2 of "Choices" are swapped')).toMatch(/equivalent|unknown/);
  expect([...fates.values()]).not.toContain('missed');
});
