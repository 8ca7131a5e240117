import { check } from 'dramaturg';
import { describe, expect, test } from 'vitest';

/** A field that nothing reads would turn the meaning of a condition, a guard or a policy round. */

/** The findings about unread fields: their codes, paths and hints. */
function unread(definition: unknown, format: string): unknown[] {
  return check(JSON.stringify(definition), { format })
    .diagnostics.filter(({ code }) => /unread|unsupported-field/.test(code))
    .map(({ severity, code, path, hint }) => [severity, code, path.join('.'), hint]);
}

describe('a condition of a plan', () => {
  const plan = (condition_type: string, condition_config: object) => ({
    title: 'Example',
    states: [
      {
        id: 'intake',
        title: 'Intake',
        tasks: [{ id: 'ask', deliverables: [{ key: 'age', type: 'number' }] }],
        transitions: [{ target_state_id: '__end__', condition_type, condition_config }],
      },
    ],
  });
  const at = 'states.0.transitions.0.condition_config';
  const value = { deliverable_key: 'age', expected_value: 18 };

  test.each([
    [
      'deliverable_value',
      { ...value, operator: 'gt' },
      `${at}.operator`,
      'Use the condition deliverable_value_numeric, which reads it, or remove it.',
    ],
    ['turn_count_exceeded', { turns: 3, scop: 'total' }, `${at}.scop`, 'Did you mean "scope"?'],
    [
      'all_of',
      { conditions: [{ type: 'deliverable_value', config: { ...value, not: true } }] },
      `${at}.conditions.0.config.not`,
      'Remove it, or move the text to "description".',
    ],
    [
      'all_of',
      { conditions: [{ type: 'deliverable_value', config: value, negate: true }] },
      `${at}.conditions.0.negate`,
      'Remove it, or move the text to "description".',
    ],
    [
      'all_tasks_complete',
      { turns: 3 },
      `${at}.turns`,
      'Use the condition turn_count_exceeded, which reads it, or remove it.',
    ],
  ])('%s with %j', (type, config, path, hint) => {
    expect(unread(plan(type, config), 'plan')).toEqual([
      ['error', 'plan/unread-condition-field', path, hint],
    ]);
  });

  test('and misspelt criteria of a deliverable', () => {
    const tested = plan('goal_achieved', {});
    Object.assign(tested.states[0]!.tasks[0]!.deliverables[0]!, { acceptance_criterea: 'Adult' });
    expect(unread(tested, 'plan')).toContainEqual([
      'error',
      'shape/unread-field',
      'states.0.tasks.0.deliverables.0.acceptance_criterea',
      'Did you mean "acceptance_criteria"?',
    ]);
  });

  test('may have remarks, and fields without a value', () => {
    const config = { ...value, description: 'Adults', operator: null, 'x-builder': 1 };
    expect(unread(plan('deliverable_value', config), 'plan')).toEqual([]);
  });
});

test('a choice rule of a workflow', () => {
  const workflow = {
    StartAt: 'Is',
    States: {
      Is: {
        Type: 'Choice',
        Choices: [
          {
            And: [{ Variable: '$.a', IsPresent: true, Negate: true }],
            Unless: true,
            Next: 'Ask',
          },
        ],
        Default: 'Ask',
      },
      Ask: { Type: 'Task', Agent: 'Clerk', End: true },
    },
  };
  expect(unread(workflow, 'asl')).toEqual([
    ['error', 'asl/unsupported-field', 'States.Is.Choices.0.And.0.Negate', expect.any(String)],
    ['error', 'asl/unsupported-field', 'States.Is.Choices.0.Unless', expect.any(String)],
  ]);
});

test.each([
  [{ Namespce: 'ana', Read: ['k'] }, 'error', 'asl/unsupported-field', 'Namespce'],
  [{ Write: { Key: 'k', TTLs: '1d' } }, 'error', 'asl/unsupported-field', 'Write.TTLs'],
  [{ Write: [{ Key: 'k', Valu: 1 }] }, 'warning', 'asl/unknown-field', 'Write.0.Valu'],
  [{ Read: { Keys: ['k'], injectAt: '$.x' } }, 'warning', 'asl/unknown-field', 'Read.injectAt'],
  [
    { Read: { Keys: ['k'], InjectAt: '_memory' } },
    'error',
    'asl/bad-reference-path',
    'Read.InjectAt',
  ],
  [{ Read: { Keys: ['k'], InjectAt: '$$.x' } }, 'error', 'asl/bad-reference-path', 'Read.InjectAt'],
])('the memory of a task: %j', (memory, severity, code, path) => {
  const task = { Type: 'Task', Agent: 'Clerk', Memory: memory, End: true };
  const { diagnostics } = check(JSON.stringify({ StartAt: 'A', States: { A: task } }), {
    format: 'asl',
  });
  expect(diagnostics).toMatchObject([
    {
      severity,
      code,
      path: `States.A.Memory.${path}`.split('.').map((step) => (step === '0' ? 0 : step)),
    },
  ]);
});

test.each([
  ['Task', { Cache: { Keys: 'k' } }, 'Cache.Keys'],
  ['Task', { Cache: { scope: 'execution' } }, 'Cache.scope'],
  ['Task', { Context: { exclude: ['$.card'] } }, 'Context.exclude'],
  ['Task', { Contexts: { Exclude: ['$.card'] } }, 'Contexts'],
  ['Task', { Memory: { Write: { Key: 'k', Overwrites: false } } }, 'Memory.Write.Overwrites'],
  ['Task', { Reasoning: { Require: true } }, 'Reasoning.Require'],
  ['Task', { idempotencyKey: 'k' }, 'idempotencyKey'],
  ['Debate', { Communication: { VisbleHistory: 'none' } }, 'Communication.VisbleHistory'],
  ['Debate', { Consensus: { Require: true } }, 'Consensus.Require'],
  ['Debate', { Concensus: { Required: true } }, 'Concensus'],
  ['Approval', { OnTimeOut: 'AutoReject' }, 'OnTimeOut'],
  ['Approval', { Batchmode: { MinApproved: 2 } }, 'Batchmode'],
])('a misspelt field of a %s that protects, decides or shares: %j', (Type, fields, path) => {
  const needs = { Task: { Agent: 'Clerk' }, Debate: { Agents: ['a', 'b'] }, Approval: {} }[Type];
  const state = { Type, ...needs, ...fields, End: true };
  expect(unread({ StartAt: 'A', States: { A: state } }, 'asl')).toEqual([
    [
      'error',
      'asl/unsupported-field',
      `States.A.${path}`,
      expect.stringContaining('Did you mean') as string,
    ],
  ]);
});

test.each([
  ['Task', { Context: { MaxTokens: 9, Summarize: { Using: 'S', Tone: 'dry' } } }],
  ['Task', { Events: { OnEnter: { Type: 't', Colour: 'red' } } }],
  ['Task', { Events: { OnLeave: { Type: 't' } } }],
  ['Task', { Progress: { Milestones: [{ At: 50, Colour: 'red' }] } }],
  ['Task', { Cache: { Backend: 'redis' } }],
  ['Debate', { Communication: { Moderator: 'm' } }],
])('an unknown field of a block of a %s is named: %j', (Type, fields) => {
  const needs = Type === 'Task' ? { Agent: 'Clerk' } : { Agents: ['a', 'b'] };
  const { diagnostics } = check(
    JSON.stringify({ StartAt: 'A', States: { A: { Type, ...needs, ...fields, End: true } } }),
    { format: 'asl' },
  );
  expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'asl/unknown-field' }]);
});

test('the criteria and links of a scenario', () => {
  const scenario = (machine_key: string) => ({
    machine_key,
    states: [
      { state_key: 'counter', is_initial_state: true, evaluation_criteria: { accept: 'Polite' } },
      { state_key: 'sold', is_terminal_state: true },
    ],
    transitions: [{ from_state_key: 'counter', to_state_key: 'sold', decision_type: 'pass' }],
  });
  const link = { source_machine_key: 'a', target_machine_key: 'b', operator: 'lt' };
  const persona = { machines: [scenario('a'), scenario('b')], machine_links: [link] };
  expect(unread(persona, 'npc').map((finding) => (finding as string[]).slice(0, 3))).toEqual([
    ['error', 'shape/unread-field', 'machines.0.states.0.evaluation_criteria.accept'],
    ['error', 'shape/unread-field', 'machines.1.states.0.evaluation_criteria.accept'],
    ['error', 'shape/unread-field', 'machine_links.0.operator'],
  ]);
});

test('the guards and policies of a lifecycle', () => {
  const lifecycle = {
    format: 'lifecycle',
    initial: 'OPEN',
    terminal: ['DONE'],
    states: { OPEN: { kind: 'initial' }, DONE: 'terminal' },
    transitions: [
      { from: 'OPEN', event: 'go', guard: { event: { urgent: true }, not: true }, to: 'DONE' },
      { from: 'OPEN', event: 'cancel', to: 'DONE' },
    ],
    policies: { heartbeat: { max_followup: 3 }, strickt: true },
  };
  expect(unread(lifecycle, 'lifecycle')).toEqual([
    ['error', 'shape/unread-field', 'transitions.0.guard.not', expect.any(String)],
    [
      'error',
      'shape/unread-field',
      'policies.heartbeat.max_followup',
      'Did you mean "max_followups"?',
    ],
    ['error', 'shape/unread-field', 'policies.strickt', 'Did you mean "strict"?'],
  ]);
});
