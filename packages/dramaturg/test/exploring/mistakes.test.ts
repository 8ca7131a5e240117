import { compile } from 'dramaturg';
import { expect, test } from 'vitest';
import { explore } from '../../src/exploring/explore.ts';
import { playTest } from '../../src/exploring/mutating/mutate.ts';
import { rehearsalOf } from '../../src/exploring/rehearsal.ts';

/** Mistakes that the tests for coverage find, without mistakes that were seeded. */

/** @returns the wrong texts that no generated test finds */
async function unfound(
  fileName: string,
  definition: object,
  mistakes: readonly (readonly [right: string, wrong: string])[],
): Promise<readonly string[]> {
  const text = JSON.stringify(definition);
  const { tests } = await explore(compile(text, { fileName }), {
    bounds: { steps: 2000, seconds: 3_600 },
  });
  const passing: string[] = [];
  for (const [right, wrong] of [['', ''], ...mistakes] as const) {
    expect(text).toContain(right);
    const rehearsal = rehearsalOf(compile(text.replace(right, wrong), { fileName }));
    const reasons: (string | undefined)[] = [];
    for (const each of tests) reasons.push(await playTest(rehearsal, each));
    if (reasons.every((reason) => reason === undefined)) passing.push(wrong);
  }
  const [unchanged, ...rest] = passing;
  expect(unchanged).toBe('');
  return rest;
}

const asks = (key: string, fields: object = {}) => ({
  id: key,
  description: key,
  deliverables: [{ key, ...fields }],
});

test('a definition that is started after the wrong end is found', async () => {
  const plan = {
    id: 'visit',
    title: 'Visit',
    on_end: { start: 'workflow:reminder', outcomes: ['booked'] },
    states: [
      {
        id: 'day',
        title: 'Day',
        tasks: [asks('fits', { type: 'boolean' })],
        transitions: [
          {
            target_state_id: '__end__',
            outcome: 'booked',
            condition_type: 'deliverable_value',
            condition_config: { deliverable_key: 'fits', expected_value: true },
          },
          { target_state_id: '__end__', outcome: 'refused', priority: 2 },
        ],
      },
    ],
  };
  const mistakes = [
    ['["booked"]', '["booked","refused"]'],
    [',"outcomes":["booked"]', ''],
    ['["booked"]', '["refused"]'],
  ] as const;
  expect(await unfound('visit.plan.json', plan, mistakes)).toEqual([]);
});

test('an event that a row of a lifecycle emits too often is found', async () => {
  const lifecycle = {
    states: { OPEN: 'initial', DONE: 'terminal' },
    transitions: [
      { from: 'OPEN', event: 'ring', actions: [{ emit: 'bell' }] },
      { from: 'OPEN', event: 'knock', actions: [] },
      { from: 'OPEN', event: 'leave', to: 'DONE' },
    ],
  };
  const mistakes = [['"actions":[]', '"actions":[{"emit":"bell"}]']] as const;
  expect(await unfound('door.lifecycle.json', lifecycle, mistakes)).toEqual([]);
});

const chooses = (Variable: string, StringEquals: string, Next: string, Default: string) => ({
  Type: 'Choice',
  Choices: [{ Variable, StringEquals, Next }],
  Default,
});

test('what follows the answers of several agents, and an approval that excludes the requestor, is reached within few moves', async () => {
  const ask = (Agent: string) => ({
    StartAt: Agent,
    States: { [Agent]: { Type: 'Task', Agent, End: true } },
  });
  const names = ['First', 'Second', 'Third', 'Fourth'];
  const workflow = {
    StartAt: 'Kind?',
    States: {
      'Kind?': chooses('$.kind', 'large', 'Ask', 'Small'),
      Small: { Type: 'Succeed' },
      Ask: { Type: 'Parallel', Branches: names.map(ask), ResultPath: '$.all', Next: 'Last?' },
      'Last?': chooses('$.all[0].verdict', 'clean', 'Approve', 'Refused'),
      Approve: {
        Type: 'Approval',
        Prompt: 'Send it?',
        Policy: { Approvers: { Users: ['ana', 'bob'] }, ExcludeRequestor: true },
        ResultPath: '$.decision',
        Choices: [{ Variable: '$.decision.approval', StringEquals: 'approve', Next: 'Sent' }],
        Default: 'Refused',
      },
      Sent: { Type: 'Succeed' },
      Refused: { Type: 'Fail', Error: 'Refused' },
    },
  };
  const compiled = compile(JSON.stringify(workflow), { fileName: 'order.asl.json' });
  const bounds = { steps: 1500, seconds: 3_600 };
  const { unreached } = await explore(compiled, { bounds });
  expect(unreached.map(({ label, reason }) => `${label}: ${reason}`)).toEqual([]);
});

test('a bound that is off by one is found, also of a value that is said early, of a score, and of a time', async () => {
  const to = (target_state_id: string, priority: number, fields: object = {}) => ({
    target_state_id,
    priority,
    ...fields,
  });
  const condition_config = { deliverable_key: 'year', operator: 'gt', value: 2007 };
  const plan = {
    id: 'patient',
    title: 'Patient',
    states: [
      {
        id: 'who',
        title: 'Who',
        type: 'strict',
        tasks: [
          asks('name'),
          { ...asks('year', { type: 'number', required: false }), required: false },
        ],
        transitions: [
          to('__human__', 1, { condition_type: 'deliverable_value_numeric', condition_config }),
          to('__end__', 2),
        ],
      },
    ],
  };
  expect(await unfound('patient.plan.json', plan, [['"gt"', '"gte"']])).toEqual([]);
  const exam = {
    machine_key: 'exam',
    pass_threshold: 3,
    early_fail_bound: -2,
    states: [
      { state_key: 'one', is_initial_state: true, evaluation_criteria: { pass: 'right' } },
      { state_key: 'two', evaluation_criteria: { pass: 'right' } },
      { state_key: 'over', is_terminal_state: true },
    ],
    transitions: [
      { from_state_key: 'one', to_state_key: 'two', decision_type: 'pass', score_delta: 2 },
      { from_state_key: 'one', to_state_key: 'two', decision_type: 'reject', score_delta: -2 },
      { from_state_key: 'two', to_state_key: 'over', decision_type: 'pass', score_delta: 1 },
      { from_state_key: 'two', to_state_key: 'over', decision_type: 'reject', score_delta: 0 },
    ],
  };
  const bounds = [
    ['"pass_threshold":3', '"pass_threshold":2'],
    ['"early_fail_bound":-2', '"early_fail_bound":-3'],
  ] as const;
  expect(await unfound('exam.npc.json', exam, bounds)).toEqual([]);
  const workflow = {
    StartAt: 'Read',
    States: { Read: { Type: 'Task', Agent: 'Reader', TimeoutSeconds: 20, End: true } },
  };
  expect(await unfound('read.asl.json', workflow, [['20', '200']])).toEqual([]);
});

test('a count that is not set back, a pause that restarts the timer and a message that counts twice are found in a lifecycle', async () => {
  const lifecycle = {
    initial: 'WAITING',
    states: {
      WAITING: { timer: 'heartbeat_fires' },
      REMINDING: { kind: 'working' },
      PAUSED: { kind: 'suspended' },
      GONE: 'terminal',
    },
    policies: { heartbeat: { resume_timer: 'remaining', max_followups: 2 } },
    transitions: [
      { from: 'WAITING', event: 'heartbeat_fires', to: 'REMINDING' },
      { from: 'REMINDING', always: true, guard: 'follow_ups_used_up', to: 'GONE' },
      { from: 'REMINDING', event: 'reminded', to: 'WAITING', actions: ['count_follow_up'] },
      {
        from: '*',
        event: 'message.received',
        guard: 'new_message',
        actions: ['record_message', 'reset_follow_ups'],
      },
      { from: '*', event: 'pause', to: 'PAUSED' },
      { from: 'PAUSED', event: 'resume', to: '$previous' },
      { from: '*', event: 'cancel', to: 'GONE', actions: [{ record_failure: 'cancelled' }] },
    ],
  };
  const mistakes = [
    [',"reset_follow_ups"', ''],
    ['"actions":["count_follow_up"]', '"actions":[]'],
    ['"remaining"', '"restart"'],
    ['"remaining"', '"deadline"'],
    ['"new_message"', '"sound_message"'],
    ['"max_followups":2', '"max_followups":3'],
  ] as const;
  expect(await unfound('reminds.lifecycle.json', lifecycle, mistakes)).toEqual([]);
});
