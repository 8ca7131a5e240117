import type { Json, JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { type StateTest, StateTestError, testState } from '../../src/index.ts';

const run = (action: string, mock: StateTest['mock'] & object, fields: JsonObject = {}) =>
  testState({
    definition: { Type: 'Task', Resource: `arn:aws:states:::${action}`, End: true, ...fields },
    mock,
  });

describe('the result of a service', () => {
  const refusalOf = (action: string, mock: StateTest['mock'] & object) => {
    try {
      run(action, mock);
      return undefined;
    } catch (error) {
      if (error instanceof StateTestError) return error.message;
      throw error;
    }
  };
  const started = { ExecutionArn: 'arn:1', StartDate: '2026-03-02T09:30:00Z' };

  test.each<[string, Json, string]>([
    ['lambda:invoke', 200, 'The result of "lambda:invoke" is not an object.'],
    [
      'lambda:invoke',
      { StatusCode: '200' },
      '"StatusCode" in the result of "lambda:invoke" is not a number.',
    ],
    [
      'events:putEvents',
      { Entries: {} },
      '"Entries" in the result of "events:putEvents" is not a list.',
    ],
    [
      'dynamodb:getItem',
      { Item: [] },
      '"Item" in the result of "dynamodb:getItem" is not an object.',
    ],
    [
      'states:startExecution',
      { ExecutionArn: 'arn:1' },
      'The result of "states:startExecution" has no "StartDate".',
    ],
    [
      'states:startExecution.sync:2',
      started,
      'The result of "states:startExecution.sync" has no "StateMachineArn".',
    ],
  ])('of %s is not %j', (action, result, message) => {
    expect(refusalOf(action, { result })).toBe(message);
  });

  test.each<[string, Json]>([
    ['lambda:invoke', { StatusCode: 200, Payload: { any: 'thing' }, NewField: 1 }],
    ['dynamodb:getItem', {}],
    ['states:startExecution', started],
    [
      'states:startExecution.sync:2',
      { ...started, StateMachineArn: 'arn:2', Status: 'SUCCEEDED', Output: { a: 1 } },
    ],
    ['sqs:sendMessage.waitForTaskToken', 'approved'],
    ['aws-sdk:s3:getObject', { Body: 'text' }],
    ['http:invoke', { StatusCode: '200' }],
  ])('of %s may be %j', (action, result) => {
    expect(refusalOf(action, { result })).toBeUndefined();
  });

  test.each([
    ['STRICT', 'The result of "states:startExecution" has no "StartDate".'],
    ['PRESENT', '"ExecutionArn" in the result of "states:startExecution" is not a text.'],
    ['NONE', undefined],
  ] as const)('is checked in the mode %s', (fieldValidationMode, message) => {
    const mock = { result: { ExecutionArn: 1 }, fieldValidationMode };
    expect(refusalOf('states:startExecution', mock)).toBe(message);
  });
});

test('an HTTP Task shows its request and its response', () => {
  const Parameters = {
    ApiEndpoint: 'https://example.com/orders',
    Method: 'POST',
    Headers: { Accept: 'application/json', 'X-Tag': ['a', 'b'] },
    QueryParameters: { 'page.$': '$.page', tag: ['x y', '&'] },
    RequestBody: { 'id.$': '$.id' },
  };
  const result = {
    StatusCode: 200,
    StatusText: 'OK',
    Headers: { date: ['today'] },
    ResponseBody: { ok: true },
  };
  const { inspection } = testState({
    definition: { Type: 'Task', Resource: 'arn:aws:states:::http:invoke', Parameters, End: true },
    input: { page: 2, id: 7 },
    mock: { result },
  });
  expect([inspection['request'], inspection['response']]).toEqual([
    {
      protocol: 'https',
      method: 'POST',
      url: 'https://example.com/orders?page=2&tag=x%20y&tag=%26',
      headers: '[Accept: application/json, X-Tag: a, b]',
      body: '{"id":7}',
    },
    {
      protocol: 'https',
      statusCode: '200',
      statusMessage: 'OK',
      headers: '[date: today]',
      body: '{"ok":true}',
    },
  ]);
});

test('a Task whose timeout is no number fails before its parameters', () => {
  const definition = { TimeoutSecondsPath: '$.limit', Parameters: { a: 1 } };
  const tested = testState({
    definition: {
      Type: 'Task',
      Resource: 'arn:aws:states:::http:invoke',
      End: true,
      ...definition,
    },
    input: { limit: 'soon' },
    mock: { result: {} },
  });
  expect(tested).toMatchObject({ status: 'failed', error: 'States.Runtime' });
  expect(Object.keys(tested.inspection)).toEqual(['input', 'afterInputPath']);
});
