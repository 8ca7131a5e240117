import type { Json, JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { StateTestError, testState } from '../../src/index.ts';

const task: JsonObject = {
  Type: 'Task',
  Resource: 'arn:aws:lambda:eu-west-1:111111111111:function:Price',
  End: true,
};
const machine = (name: string, state: JsonObject) => ({ StartAt: name, States: { [name]: state } });

const workflow: JsonObject = {
  QueryLanguage: 'JSONata',
  StartAt: 'Each',
  States: {
    Each: {
      Type: 'Map',
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
        ...machine('Pack', {
          Type: 'Pass',
          Output: '{% $states.context.Map.Item %}',
          End: true,
        }),
      },
      Next: 'Both',
    },
    Both: {
      Type: 'Parallel',
      Branches: [machine('Call', task), machine('Write', task)],
      Next: 'Done',
    },
    Done: { Type: 'Pass', Output: '{% $states.context.Execution.Input %}', End: true },
  },
};

/** The message and the hint of the refusal. */
function refusalOf(request: Parameters<typeof testState>[0]): readonly [string, string] {
  try {
    testState(request);
  } catch (error) {
    if (error instanceof StateTestError) return [error.message, error.hint];
    throw error;
  }
  throw new Error('The test was accepted.');
}

describe('a state of a workflow', () => {
  test('has the query language of the workflow', () => {
    const input = { a: 1 };
    expect(testState({ definition: workflow, stateName: 'Done', input }).output).toEqual(input);
  });

  test('within a Map is at the first item', () => {
    const { output } = testState({ definition: workflow, stateName: 'Pack', input: 'x' });
    expect(output).toEqual({ Index: 0, Value: 'x', Source: 'STATE_DATA' });
  });

  test('within a Parallel is found by its name', () => {
    const mock = { result: 1 };
    expect(testState({ definition: workflow, stateName: 'Write', mock }).output).toBe(1);
  });

  test('is found however deep it is', () => {
    let inner: JsonObject = machine('Last', { Type: 'Pass', Result: 1, End: true });
    for (let depth = 0; depth < 50_000; depth += 1) {
      inner = machine(`At ${depth}`, { Type: 'Map', ItemProcessor: inner, End: true });
    }
    expect(testState({ definition: inner, stateName: 'Last' }).output).toBe(1);
  });

  test.each<[string, string | undefined, readonly [string, string]]>([
    ['unknown', 'Wrte', ['There is no state "Wrte" in the workflow.', 'Did you mean "Write"?']],
    [
      'left out',
      undefined,
      [
        'The definition is a workflow, and the test names none of its states.',
        'Name one of "Each", "Both", "Done", "Pack", "Call" and "Write".',
      ],
    ],
  ])('that is %s is refused', (_, stateName, refusal) => {
    expect(refusalOf({ definition: workflow, ...(stateName && { stateName }) })).toEqual(refusal);
  });

  test.each<[JsonObject, string | undefined, readonly [string, string]]>([
    [
      task,
      'Write',
      [
        'The definition is a single state, and has no state "Write".',
        'Leave the name out, or give the whole workflow.',
      ],
    ],
    [
      { Type: 'Pas', End: true },
      undefined,
      ['The state "StateName" has no known "Type".', 'Did you mean "Pass"?'],
    ],
  ])('is not in the definition %j', (definition, stateName, refusal) => {
    expect(refusalOf({ definition, ...(stateName && { stateName }) })).toEqual(refusal);
  });
});

describe('the context object', () => {
  const read = (Output: string, context?: JsonObject) =>
    testState({
      definition: { ...task, QueryLanguage: 'JSONata', Output },
      input: { a: 1 },
      mock: { result: 1 },
      ...(context && { context }),
    });

  test('is the one given', () => {
    const context = { Execution: { Input: { b: 2 } }, Task: { Token: 't-1' } };
    expect(read('{% $states.context %}', context).output).toEqual(context);
  });

  test('has the input of the state, as the input of the run', () => {
    expect(read('{% $states.context.Execution.Input %}').output).toEqual({ a: 1 });
  });

  test.each([
    'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
    'arn:aws:states:::ecs:runTask.sync',
    'arn:aws:states:eu-west-1:111111111111:activity:Pack',
  ])('has a token for the task %s', (Resource) => {
    const definition = {
      Type: 'Task',
      Resource,
      Parameters: { 'token.$': '$$.Task.Token' },
      End: true,
    };
    const { inspection } = testState({ definition, mock: { result: {} } });
    expect(inspection['afterParameters']).toEqual({ token: expect.any(String) });
  });

  test.each<[Json, readonly [string, string]]>([
    [
      { Executon: {} },
      ['The context object has no field "Executon".', 'Did you mean "Execution"?'],
    ],
    [
      { Task: 't-1' },
      [
        '"Task" of the context is not an object.',
        'A context is an object with "Execution", "State", "StateMachine", "Task" and "Map", each an object.',
      ],
    ],
  ])('%j is refused', (context, refusal) => {
    const request = { definition: task, mock: { result: 1 }, context: context as JsonObject };
    expect(refusalOf(request)).toEqual(refusal);
  });
});

describe('a mock', () => {
  const branches = [machine('A', { Type: 'Pass', End: true })];
  const each = { Type: 'Map', ItemProcessor: branches[0]!, End: true };
  const written = { ...each, ResultWriter: { Resource: 'arn:aws:states:::s3:putObject' } };

  test.each<[string, JsonObject, unknown, string]>([
    ['left out', task, undefined, 'A Task state needs a mock: a test makes no calls.'],
    [
      'of a Pass',
      { Type: 'Pass', End: true },
      { result: 1 },
      'A Pass state takes no mock: a test runs it as it is.',
    ],
    [
      'of a Choice',
      { Type: 'Choice', Default: 'A', Choices: [] },
      { result: 1 },
      'A Choice state takes no mock: a test runs it as it is.',
    ],
    ['that is a list', task, [], 'The mock is not an object.'],
    ['with an unknown field', task, { reslt: 1 }, 'A mock has no field "reslt".'],
    ['that is empty', task, {}, 'The mock has neither a result nor an error.'],
    [
      'with both',
      task,
      { result: 1, errorOutput: { error: 'E' } },
      'The mock has both a result and an error.',
    ],
    [
      'with a nameless error',
      task,
      { errorOutput: { cause: 'C' } },
      '"errorOutput" has no "error" with the name of the error.',
    ],
    [
      'with an unknown mode',
      task,
      { result: 1, fieldValidationMode: 'STRCT' },
      'There is no "fieldValidationMode" "STRCT".',
    ],
    ['of a Map that is no list', each, { result: {} }, 'The result of a Map is a list.'],
    [
      'of a Map with a writer that is no object',
      written,
      { result: [] },
      'The result of a Map with a "ResultWriter" is an object.',
    ],
    [
      'of a Parallel that is no list',
      { Type: 'Parallel', Branches: branches, End: true },
      { result: 1 },
      'The result of a Parallel is a list.',
    ],
    [
      'of a Parallel with other branches',
      { Type: 'Parallel', Branches: branches, End: true },
      { result: [1, 2] },
      'The mock has 2 results for 1 branch.',
    ],
  ])('%s is refused', (_, definition, mock, message) => {
    const request = { definition, input: [], ...(mock !== undefined && { mock: mock as object }) };
    expect(refusalOf(request)[0]).toBe(message);
  });

  test('of a Map with a writer is an object', () => {
    const result = { ResultWriterDetails: { Bucket: 'b', Key: 'k' } };
    expect(testState({ definition: written, input: [], mock: { result } }).output).toEqual(result);
  });
});

describe('a configuration', () => {
  const each = { Type: 'Map', ItemProcessor: machine('Pack', task), End: true };

  test.each<[string, JsonObject, unknown, string, string]>([
    [
      'with an unknown field',
      task,
      { retryCount: 1 },
      'The configuration has no field "retryCount".',
      'Its fields are "retrierRetryCount", "mapIterationFailureCount", "mapItemReaderData" and "errorCausedByState".',
    ],
    [
      'with a negative count',
      task,
      { retrierRetryCount: -1 },
      '"retrierRetryCount" is not a whole number from 0 on.',
      'Write it like 2, without quotes.',
    ],
    [
      'with iterations of a Task',
      task,
      { mapIterationFailureCount: 1 },
      '"mapIterationFailureCount" is for a Map, and "StateName" is none.',
      'Leave it out, or test the Map.',
    ],
    [
      'with more iterations than items',
      each,
      { mapIterationFailureCount: 3 },
      '3 iterations cannot have failed: the Map has 2.',
      '"mapIterationFailureCount" is 2 at most with this input.',
    ],
    [
      'with data of no reader',
      each,
      { mapItemReaderData: '[]' },
      '"mapItemReaderData" is for a Map with an "ItemReader", and "StateName" has none.',
      'Leave it out, and give the items in the input.',
    ],
    [
      'with the error of an unknown state',
      each,
      { errorCausedByState: 'Pak' },
      'There is no state "Pak" within "StateName".',
      'Did you mean "Pack"?',
    ],
    [
      'with the error of a state in a Task',
      task,
      { errorCausedByState: 'Pack' },
      '"errorCausedByState" is for a Map or a Parallel: "StateName" has no states within it.',
      'Leave it out.',
    ],
  ])('%s is refused', (_, definition, configuration, ...refusal) => {
    const mock = { result: [1, 2] };
    const request = { definition, input: [1, 2], mock, configuration: configuration as object };
    expect(refusalOf(request)).toEqual(refusal);
  });
});
