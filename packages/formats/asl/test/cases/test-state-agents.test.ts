import type { Json, JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { StateTestError, testState } from '../../src/index.ts';

describe('an Approval', () => {
  const ask: JsonObject = {
    Type: 'Approval',
    Prompt: 'Send {{$.count}} goods?',
    Editable: { Fields: ['$.count'], ResultPath: '$.agreed' },
    Policy: { Approvers: ['ana'], RequireReason: true },
    ResultPath: '$.review',
    Choices: [{ Variable: '$.review.approval', StringEquals: 'approve', Next: 'Send' }],
    Default: 'Drop',
  };
  const decide = (result: Json) =>
    testState({ definition: ask, input: { count: 2 }, mock: { result } });

  test('goes where the decision leads, with its record', () => {
    const decision = { decision: 'approve', by: 'ana', comment: 'Fine', edited: { count: 1 } };
    expect(decide(decision)).toMatchObject({
      status: 'succeeded',
      nextState: 'Send',
      output: {
        count: 2,
        agreed: { count: 1 },
        review: { approval: 'approve', approver: 'ana', prompt: 'Send 2 goods?', comment: 'Fine' },
      },
      inspection: { result: decision },
    });
    const rejected = decide({ decision: 'reject', by: 'ana', comment: 'Too many' });
    expect(rejected.nextState).toBe('Drop');
  });

  test.each<[Json, string]>([
    [
      { decision: 'aprove', by: 'ana', comment: '' },
      '"aprove" is not one of the options: approve, reject.',
    ],
    [{ decision: 'approve', by: 'bob', comment: 'Fine' }, '"bob" is none of the approvers: ana.'],
  ])('does not take the decision %j', (decision, because) => {
    expect(() => decide(decision)).toThrow(StateTestError);
    expect(() => decide(decision)).toThrow(
      `The result of the mock does not decide this Approval: ${because}`,
    );
  });

  test('fails with the error of the mock', () => {
    const mock = { errorOutput: { error: 'States.Timeout' } };
    expect(testState({ definition: ask, input: { count: 2 }, mock })).toMatchObject({
      status: 'failed',
      error: 'States.Timeout',
    });
  });
});

test('a Checkpoint needs no mock, and gives its record', () => {
  const definition = {
    Type: 'Checkpoint',
    Name: 'collected',
    TTL: '1h',
    ResultPath: '$.saved',
    Next: 'Write',
  };
  const moment = Date.parse('2026-03-02T09:30:00Z');
  const world = { now: () => moment, random: () => 0.5, uuid: () => 'id-1' };
  expect(testState({ definition, input: { a: 1 }, world })).toMatchObject({
    status: 'succeeded',
    nextState: 'Write',
    output: {
      a: 1,
      saved: {
        checkpoint: {
          name: 'collected',
          createdAt: '2026-03-02T09:30:00.000Z',
          expiresAt: '2026-03-02T10:30:00.000Z',
        },
      },
    },
  });
});

test('a task with an agent is tested like any other', () => {
  const definition = {
    Type: 'Task',
    Agent: 'Writer',
    Input: { 'title.$': '$.title' },
    ResultPath: '$.text',
    End: true,
  };
  const tested = testState({ definition, input: { title: 'Hi' }, mock: { result: 'Once' } });
  expect(tested.output).toEqual({ title: 'Hi', text: 'Once' });
});
