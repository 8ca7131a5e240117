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
  const bounds = { steps: 600, seconds: 3_600 };
  const { unreached } = await explore(compiled, { bounds });
  expect(unreached.map(({ label, reason }) => `${label}: ${reason}`)).toEqual([]);
});
