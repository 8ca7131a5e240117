import type { Json, JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { type StateTest, testState } from '../../src/index.ts';

/** A task of a service. */
const task = (fields: JsonObject): JsonObject => ({
  Type: 'Task',
  Resource: 'arn:aws:lambda:eu-west-1:111111111111:function:Price',
  Next: 'After',
  ...fields,
});

const jsonataTask = (fields: JsonObject): JsonObject =>
  task({ QueryLanguage: 'JSONata', ...fields });

const run = (definition: JsonObject, rest: Omit<StateTest, 'definition'> = {}) =>
  testState({ definition, ...rest });

const busy = { errorOutput: { error: 'Busy', cause: 'Come back later' } };

describe('the data of a state that succeeds', () => {
  test('of a Task has a stage for each JSONPath field', () => {
    const definition = task({
      InputPath: '$.order',
      Parameters: { 'id.$': '$.id' },
      ResultSelector: { 'price.$': '$.total' },
      ResultPath: '$.answer',
      OutputPath: '$.answer.price',
    });
    const input = { order: { id: 7 } };
    expect(run(definition, { input, mock: { result: { total: 12 } } })).toEqual({
      status: 'succeeded',
      output: 12,
      nextState: 'After',
      inspection: {
        input,
        afterInputPath: { id: 7 },
        afterParameters: { id: 7 },
        result: { total: 12 },
        afterResultSelector: { price: 12 },
        afterResultPath: { ...input, answer: { price: 12 } },
      },
    });
  });

  test('of a JSONata Task has its arguments and its result', () => {
    const definition = jsonataTask({
      Arguments: { id: '{% $states.input.id %}' },
      Output: '{% $states.result.total %}',
    });
    expect(run(definition, { input: { id: 7 }, mock: { result: { total: 12 } } })).toEqual({
      status: 'succeeded',
      output: 12,
      nextState: 'After',
      inspection: { input: { id: 7 }, afterArguments: { id: 7 }, result: { total: 12 } },
    });
  });

  test.each<[string, JsonObject, Json, object]>([
    [
      'of a Pass has no result without "Result"',
      { Type: 'Pass', InputPath: '$.a', Parameters: { data: 1 }, ResultPath: '$.b', End: true },
      { a: { c: 2 } },
      {
        output: { a: { c: 2 }, b: { data: 1 } },
        inspection: {
          input: { a: { c: 2 } },
          afterInputPath: { c: 2 },
          afterParameters: { data: 1 },
          afterResultSelector: { data: 1 },
          afterResultPath: { a: { c: 2 }, b: { data: 1 } },
        },
      },
    ],
    [
      'of a JSONata Pass is its input',
      { Type: 'Pass', QueryLanguage: 'JSONata', Output: '{% $states.input.a + 1 %}', End: true },
      { a: 1 },
      { output: 2, inspection: { input: { a: 1 } } },
    ],
    [
      'of a Choice is the input of its rules',
      {
        Type: 'Choice',
        InputPath: '$.a',
        Choices: [{ Variable: '$.n', NumericEquals: 1, Next: 'One' }],
        Default: 'Other',
      },
      { a: { n: 1 } },
      {
        output: { n: 1 },
        nextState: 'One',
        inspection: { input: { a: { n: 1 } }, afterInputPath: { n: 1 } },
      },
    ],
    [
      'of a Wait is its input',
      { Type: 'Wait', SecondsPath: '$.s', Next: 'After' },
      { s: 3_600 },
      {
        output: { s: 3_600 },
        nextState: 'After',
        inspection: { input: { s: 3_600 }, afterInputPath: { s: 3_600 } },
      },
    ],
    [
      'of a Succeed is its input',
      { Type: 'Succeed', OutputPath: '$.a' },
      { a: 1 },
      { output: 1, inspection: { input: { a: 1 }, afterInputPath: { a: 1 } } },
    ],
    [
      'of a JSONata Choice is its input',
      {
        Type: 'Choice',
        QueryLanguage: 'JSONata',
        Choices: [{ Condition: '{% $states.input.n > 0 %}', Next: 'More', Output: '{% "more" %}' }],
        Default: 'Other',
      },
      { n: 1 },
      { output: 'more', nextState: 'More', inspection: { input: { n: 1 } } },
    ],
  ])('%s', (_, definition, input, expected) => {
    expect(run(definition, { input })).toEqual({ status: 'succeeded', ...expected });
  });

  test('of a Parallel begins with its result', () => {
    const branch = { StartAt: 'B', States: { B: { Type: 'Pass', End: true } } };
    const definition = {
      Type: 'Parallel',
      InputPath: '$.a',
      Parameters: { 'b.$': '$.c' },
      ResultSelector: { 'first.$': '$[0]' },
      ResultPath: '$.d',
      Branches: [branch, branch],
      End: true,
    };
    const input = { a: { c: 1 } };
    expect(run(definition, { input, mock: { result: [1, 2] } })).toEqual({
      status: 'succeeded',
      output: { ...input, d: { first: 1 } },
      inspection: {
        input,
        afterResultSelector: { first: 1 },
        afterResultPath: { ...input, d: { first: 1 } },
      },
    });
  });
});

describe('variables', () => {
  test('are those given and those assigned', () => {
    const definition = jsonataTask({ Assign: { sum: '{% $states.result + $before %}' } });
    const tested = run(definition, { variables: { before: 1 }, mock: { result: 2 } });
    expect(tested.inspection['variables']).toEqual({ before: 1, sum: 3 });
  });

  test('are those of the rule of a Choice that holds', () => {
    const definition = {
      Type: 'Choice',
      Choices: [{ Variable: '$.n', NumericEquals: 1, Next: 'One', Assign: { 'rule.$': '$.n' } }],
      Default: 'Other',
      Assign: { rule: 0 },
    };
    expect(run(definition, { input: { n: 1 } }).inspection['variables']).toEqual({ rule: 1 });
    expect(run(definition, { input: { n: 2 } }).inspection['variables']).toEqual({ rule: 0 });
  });

  test('are those of the catcher of an error', () => {
    const definition = task({
      Assign: { done: true },
      Catch: [{ ErrorEquals: ['Busy'], Next: 'Later', Assign: { 'error.$': '$.Error' } }],
    });
    expect(run(definition, { mock: busy }).inspection['variables']).toEqual({ error: 'Busy' });
  });

  test('stay as they were when the state fails', () => {
    const { inspection } = run(task({ Assign: { done: true } }), {
      mock: busy,
      variables: { done: false },
    });
    expect(inspection['variables']).toEqual({ done: false });
  });

  test('are left out when there are none', () => {
    expect(run(task({}), { mock: { result: 1 } }).inspection).not.toHaveProperty('variables');
  });
});

describe('a state that fails shows the data up to its failure', () => {
  test.each<[string, JsonObject, readonly string[]]>([
    ['InputPath', { InputPath: '$.none' }, ['input']],
    ['Parameters', { Parameters: { 'a.$': '$.none' } }, ['input', 'afterInputPath']],
    [
      'ResultSelector',
      { ResultSelector: { 'a.$': '$.none' } },
      ['input', 'afterInputPath', 'afterParameters', 'result'],
    ],
    [
      'OutputPath',
      { OutputPath: '$.none' },
      [
        'input',
        'afterInputPath',
        'afterParameters',
        'result',
        'afterResultSelector',
        'afterResultPath',
      ],
    ],
  ])('in %s', (_, fields, stages) => {
    const tested = run(task(fields), { mock: { result: {} } });
    expect(tested).toMatchObject({ status: 'failed', error: 'States.Runtime' });
    expect(Object.keys(tested.inspection)).toEqual(stages);
    expect(tested).not.toHaveProperty('output');
  });

  test.each<[string, JsonObject, readonly string[]]>([
    ['Arguments', { Arguments: '{% $states.input.none %}' }, ['input']],
    [
      'Output',
      { Arguments: '{% 1 %}', Output: '{% $states.result.none %}' },
      ['input', 'afterArguments', 'result'],
    ],
    ['Assign', { Assign: { a: '{% $none.x %}' } }, ['input', 'afterArguments', 'result']],
  ])('in %s', (_, fields, stages) => {
    const tested = run(jsonataTask(fields), { mock: { result: {} } });
    expect(tested).toMatchObject({ status: 'failed', error: 'States.QueryEvaluationError' });
    expect(Object.keys(tested.inspection)).toEqual(stages);
  });

  test('in its work', () => {
    expect(run(task({}), { mock: busy })).toEqual({
      status: 'failed',
      error: 'Busy',
      cause: 'Come back later',
      inspection: { input: {}, afterInputPath: {}, afterParameters: {} },
    });
  });

  test('in a Choice without a rule that holds', () => {
    const Choices = [{ Variable: '$.n', NumericEquals: 1, Next: 'One' }];
    const tested = run({ Type: 'Choice', Choices }, { input: { n: 2 } });
    expect(tested).toMatchObject({ status: 'failed', error: 'States.Runtime' });
    expect(Object.keys(tested.inspection)).toEqual(['input', 'afterInputPath']);
  });

  test('in a rule of a Choice without a condition', () => {
    expect(run({ Type: 'Choice', Choices: [{ Next: 'One' }] })).toMatchObject({
      status: 'failed',
      error: 'States.Runtime',
      cause: 'A rule of the Choice has no condition.',
    });
  });

  test('in a Fail', () => {
    const definition = { Type: 'Fail', ErrorPath: '$.name', Cause: 'Nobody wanted it' };
    expect(run(definition, { input: { name: 'Refused' } })).toEqual({
      status: 'failed',
      error: 'Refused',
      cause: 'Nobody wanted it',
      inspection: { input: { name: 'Refused' }, afterInputPath: { name: 'Refused' } },
    });
  });

  test.each<[string, JsonObject, string, readonly string[]]>([
    [
      'a Wait',
      { Type: 'Wait', SecondsPath: '$.none', Next: 'After' },
      'States.Runtime',
      ['input', 'afterInputPath'],
    ],
    [
      'a JSONata Wait',
      { Type: 'Wait', QueryLanguage: 'JSONata', Seconds: '{% "soon" %}', Next: 'After' },
      'States.QueryEvaluationError',
      ['input'],
    ],
    [
      'a JSONata Fail',
      { Type: 'Fail', QueryLanguage: 'JSONata', Error: '{% $states.input.name %}' },
      'Refused',
      ['input'],
    ],
    [
      'a JSONata Pass',
      { Type: 'Pass', QueryLanguage: 'JSONata', Output: '{% $none.x %}', End: true },
      'States.QueryEvaluationError',
      ['input'],
    ],
    [
      'a Pass with Result',
      { Type: 'Pass', Result: { a: 1 }, OutputPath: '$.none', End: true },
      'States.Runtime',
      ['input', 'result', 'afterResultSelector', 'afterResultPath'],
    ],
    [
      'a Succeed',
      { Type: 'Succeed', OutputPath: '$.none' },
      'States.Runtime',
      ['input', 'afterInputPath'],
    ],
    [
      'a JSONata Choice',
      {
        Type: 'Choice',
        QueryLanguage: 'JSONata',
        Choices: [{ Condition: '{% "yes" %}', Next: 'One' }],
      },
      'States.QueryEvaluationError',
      ['input'],
    ],
  ])('in %s', (_, definition, error, stages) => {
    const tested = run(definition, { input: { name: 'Refused' } });
    expect(tested).toMatchObject({ status: 'failed', error });
    expect(Object.keys(tested.inspection)).toEqual(stages);
  });

  test('and data over the limit', () => {
    const mock = { result: 'x'.repeat(262_144) };
    expect(run(task({}), { mock })).toMatchObject({
      status: 'failed',
      error: 'States.DataLimitExceeded',
    });
  });
});
