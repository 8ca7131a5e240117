import type { JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { type StateTest, testState } from '../../src/index.ts';

const task = (fields: JsonObject): JsonObject => ({
  Type: 'Task',
  Resource: 'arn:aws:lambda:eu-west-1:111111111111:function:Price',
  End: true,
  ...fields,
});

const retriers = [
  { ErrorEquals: ['Busy'], IntervalSeconds: 2, MaxAttempts: 3, BackoffRate: 2 },
  { ErrorEquals: ['States.ALL'], IntervalSeconds: 5, MaxAttempts: 1 },
];
const catchers = [
  { ErrorEquals: ['Gone'], Next: 'Never' },
  { ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Handle' },
];

const fail = (definition: JsonObject, error: string, rest: Partial<StateTest> = {}) =>
  testState({
    definition,
    input: { data: 'value' },
    mock: { errorOutput: { error, cause: 'It said no' } },
    ...rest,
  });

describe('a retrier', () => {
  test.each([
    [0, 2],
    [1, 4],
    [2, 8],
  ])('after %i retries waits %i seconds', (retrierRetryCount, seconds) => {
    const tested = fail(task({ Retry: retriers }), 'Busy', {
      configuration: { retrierRetryCount },
    });
    expect(tested).toMatchObject({ status: 'retriable', error: 'Busy', cause: 'It said no' });
    expect(tested).not.toHaveProperty('output');
    expect(tested.inspection['errorDetails']).toEqual({
      retryIndex: 0,
      retryBackoffIntervalSeconds: seconds,
    });
  });

  test('is the first that names the error', () => {
    expect(fail(task({ Retry: retriers }), 'Lost').inspection['errorDetails']).toEqual({
      retryIndex: 1,
      retryBackoffIntervalSeconds: 5,
    });
  });

  test('waits no longer than MaxDelaySeconds', () => {
    const Retry = [{ ErrorEquals: ['Busy'], IntervalSeconds: 10, MaxDelaySeconds: 15 }];
    const { inspection } = fail(task({ Retry }), 'Busy', {
      configuration: { retrierRetryCount: 2 },
    });
    expect(inspection['errorDetails']).toEqual({ retryIndex: 0, retryBackoffIntervalSeconds: 15 });
  });

  test('without attempts left leaves the error to the catchers', () => {
    const tested = fail(task({ Retry: retriers, Catch: catchers }), 'Busy', {
      configuration: { retrierRetryCount: 3 },
    });
    expect(tested).toMatchObject({
      status: 'caughtError',
      nextState: 'Handle',
      inspection: { errorDetails: { catchIndex: 1, retryIndex: 0 } },
    });
  });

  test('counts the retries of a context object', () => {
    const { status } = fail(task({ Retry: retriers }), 'Busy', {
      context: { State: { RetryCount: 3 } },
    });
    expect(status).toBe('failed');
  });
});

describe('a catcher', () => {
  test('puts the error in the input, and leads to its state', () => {
    expect(fail(task({ Catch: catchers }), 'Lost')).toEqual({
      status: 'caughtError',
      error: 'Lost',
      cause: 'It said no',
      output: { data: 'value', error: { Error: 'Lost', Cause: 'It said no' } },
      nextState: 'Handle',
      inspection: {
        input: { data: 'value' },
        afterInputPath: { data: 'value' },
        afterParameters: { data: 'value' },
        errorDetails: { catchIndex: 1 },
      },
    });
  });

  test('computes its output in JSONata', () => {
    const Catch = [
      { ErrorEquals: ['States.ALL'], Next: 'Handle', Output: '{% $states.errorOutput.Error %}' },
    ];
    const tested = fail(task({ QueryLanguage: 'JSONata', Catch }), 'Lost');
    expect(tested).toMatchObject({ status: 'caughtError', output: 'Lost', nextState: 'Handle' });
  });

  test('whose output cannot be computed fails the state', () => {
    const Catch = [{ ErrorEquals: ['States.ALL'], Next: 'Handle', Output: '{% $none.x %}' }];
    expect(fail(task({ QueryLanguage: 'JSONata', Catch }), 'Lost')).toMatchObject({
      status: 'failed',
      error: 'States.QueryEvaluationError',
    });
  });

  test('catches an error of the data flow', () => {
    const definition = task({
      QueryLanguage: 'JSONata',
      Arguments: '{% $none.x %}',
      Catch: [{ ErrorEquals: ['States.QueryEvaluationError'], Next: 'Handle' }],
    });
    const tested = testState({ definition, mock: { result: 1 } });
    expect(tested).toMatchObject({ status: 'caughtError', nextState: 'Handle' });
    expect(Object.keys(tested.inspection)).toEqual(['input', 'errorDetails']);
  });
});
