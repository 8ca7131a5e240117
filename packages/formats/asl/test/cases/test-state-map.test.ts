import type { Json, JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { type StateTest, testState } from '../../src/index.ts';

const map = (fields: JsonObject, mode = 'INLINE'): JsonObject => ({
  Type: 'Map',
  ItemProcessor: {
    ProcessorConfig: {
      Mode: mode,
      ...(mode === 'DISTRIBUTED' && { ExecutionType: 'STANDARD' }),
    },
    StartAt: 'Pack',
    States: {
      Pack: {
        Type: 'Task',
        Resource: 'arn:aws:lambda:eu-west-1:111111111111:function:Price',
        End: true,
      },
    },
  },
  End: true,
  ...fields,
});

const run = (definition: JsonObject, input: Json, rest: Omit<StateTest, 'definition'> = {}) =>
  testState({ definition, input, mock: { result: [10, 20] }, ...rest });

describe('the data of a Map', () => {
  test('has its items, their inputs and its limits', () => {
    const definition = map({
      ItemsPath: '$.items',
      ItemSelector: { 'value.$': '$$.Map.Item.Value', 'index.$': '$$.Map.Item.Index' },
      MaxConcurrencyPath: '$.most',
      ToleratedFailurePercentage: 50,
      ResultPath: '$.done',
    });
    const input = { items: ['a', 'b'], most: 3 };
    expect(run(definition, input)).toEqual({
      status: 'succeeded',
      output: { ...input, done: [10, 20] },
      inspection: {
        input,
        afterInputPath: input,
        afterItemsPath: ['a', 'b'],
        afterItemSelector: [
          { value: 'a', index: 0 },
          { value: 'b', index: 1 },
        ],
        maxConcurrency: 3,
        toleratedFailurePercentage: 50,
        afterResultSelector: [10, 20],
        afterResultPath: { ...input, done: [10, 20] },
      },
    });
  });

  test('has its batches', () => {
    const definition = map(
      {
        QueryLanguage: 'JSONata',
        Items: '{% $states.input %}',
        ItemSelector: '{% $states.context.Map.Item.Value * 2 %}',
        ItemBatcher: { MaxItemsPerBatch: 2, BatchInput: { run: 1 } },
        ToleratedFailureCount: '{% 1 + 1 %}',
      },
      'DISTRIBUTED',
    );
    expect(run(definition, [1, 2, 3]).inspection).toEqual({
      input: [1, 2, 3],
      afterItemSelector: [2, 4, 6],
      afterItemBatcher: [
        { BatchInput: { run: 1 }, Items: [2, 4] },
        { BatchInput: { run: 1 }, Items: [6] },
      ],
      maxConcurrency: 0,
      toleratedFailureCount: 2,
    });
  });

  test('ends before items that are not a list', () => {
    const tested = run(map({ ItemsPath: '$.items' }), { items: 1 });
    expect(tested).toMatchObject({ status: 'failed', error: 'States.Runtime' });
    expect(Object.keys(tested.inspection)).toEqual(['input', 'afterInputPath']);
  });
});

describe('a Map or Parallel that fails shows the data up to its failure', () => {
  const selected = { ItemSelector: { 'item.$': '$$.Map.Item.Value' } };
  const stages = ['input', 'afterInputPath', 'afterItemsPath', 'afterItemSelector'];

  test.each<[string, JsonObject, readonly string[]]>([
    ['InputPath', { InputPath: '$.none' }, stages.slice(0, 1)],
    ['ItemsPath', { ItemsPath: '$.none' }, stages.slice(0, 2)],
    ['ItemSelector', { ItemSelector: { 'item.$': '$.none' } }, stages.slice(0, 3)],
    ['MaxConcurrencyPath', { ...selected, MaxConcurrencyPath: '$.none' }, stages],
    [
      'ResultSelector',
      { ...selected, ResultSelector: { 'a.$': '$.none' } },
      [...stages, 'maxConcurrency'],
    ],
    [
      'OutputPath',
      { ...selected, OutputPath: '$.none' },
      [...stages, 'maxConcurrency', 'afterResultSelector', 'afterResultPath'],
    ],
  ])('in %s of a Map', (_, fields, shown) => {
    const tested = run(map({ ItemsPath: '$.items', ...fields }), { items: [1] });
    expect(tested).toMatchObject({ status: 'failed', error: 'States.Runtime' });
    expect(Object.keys(tested.inspection)).toEqual(shown);
  });

  test('in the items of a JSONata Map', () => {
    const definition = map({ QueryLanguage: 'JSONata', Items: '{% $states.input.none %}' });
    const tested = run(definition, {});
    expect(tested).toMatchObject({ status: 'failed', error: 'States.QueryEvaluationError' });
    expect(Object.keys(tested.inspection)).toEqual(['input']);
  });

  test('in its items', () => {
    const mock = { errorOutput: { error: 'Busy', cause: 'Come back later' } };
    const configuration = { errorCausedByState: 'Pack' };
    const tested = run(map({}), [1], { mock, configuration });
    expect(tested).toMatchObject({ status: 'failed', error: 'Busy' });
    expect(Object.keys(tested.inspection)).toEqual([
      'input',
      'afterInputPath',
      'afterItemsPath',
      'maxConcurrency',
    ]);
  });

  const branch = { StartAt: 'B', States: { B: { Type: 'Pass', End: true } } };
  test.each<[string, JsonObject, readonly string[]]>([
    ['Parameters', { Parameters: { 'a.$': '$.none' } }, ['input']],
    ['ResultSelector', { ResultSelector: { 'a.$': '$.none' } }, ['input']],
    ['OutputPath', { OutputPath: '$.none' }, ['input', 'afterResultSelector', 'afterResultPath']],
  ])('in %s of a Parallel', (_, fields, shown) => {
    const tested = run({ Type: 'Parallel', Branches: [branch, branch], End: true, ...fields }, {});
    expect(tested).toMatchObject({ status: 'failed', error: 'States.Runtime' });
    expect(Object.keys(tested.inspection)).toEqual(shown);
  });
});

describe('failed iterations', () => {
  const retried = {
    ToleratedFailureCount: 1,
    Retry: [{ ErrorEquals: ['States.ExceedToleratedFailureThreshold'], IntervalSeconds: 3 }],
  };

  test('up to the tolerated count do not fail the Map', () => {
    const configuration = { mapIterationFailureCount: 1 };
    expect(run(map(retried), [1, 2], { configuration }).status).toBe('succeeded');
  });

  test('beyond it fail the Map, which is retried', () => {
    const configuration = { mapIterationFailureCount: 2 };
    expect(run(map(retried), [1, 2], { configuration })).toMatchObject({
      status: 'retriable',
      error: 'States.ExceedToleratedFailureThreshold',
      inspection: { errorDetails: { retryIndex: 0, retryBackoffIntervalSeconds: 3 } },
    });
  });

  test.each(['INLINE', 'DISTRIBUTED'])('fail a Map that tolerates none: %s', (mode) => {
    const configuration = { mapIterationFailureCount: 1 };
    expect(run(map({}, mode), [1, 2], { configuration })).toMatchObject({
      status: 'failed',
      error: 'States.ExceedToleratedFailureThreshold',
    });
  });

  test('do not replace the error of the mock', () => {
    const tested = run(map(retried), [1, 2], {
      configuration: { mapIterationFailureCount: 2 },
      mock: { errorOutput: { error: 'Busy' } },
    });
    expect(tested).toMatchObject({ status: 'failed', error: 'Busy' });
  });

  test('beyond the tolerated percentage fail the Map', () => {
    const definition = map({ ToleratedFailurePercentage: 40 });
    const failed = (mapIterationFailureCount: number) =>
      run(definition, [1, 2, 3, 4, 5], { configuration: { mapIterationFailureCount } }).status;
    expect([failed(2), failed(3)]).toEqual(['succeeded', 'failed']);
  });
});

describe('what an ItemReader has read', () => {
  const reader = (ReaderConfig: JsonObject, fields: JsonObject = {}) =>
    map(
      {
        ItemReader: { Resource: 'arn:aws:states:::s3:getObject', ReaderConfig },
        ItemSelector: { 'item.$': '$$.Map.Item.Value' },
        ...fields,
      },
      'DISTRIBUTED',
    );
  const itemsOf = (definition: JsonObject, mapItemReaderData: Json) =>
    run(definition, {}, { configuration: { mapItemReaderData } }).inspection;

  test.each<[string, JsonObject, Json, Json]>([
    ['JSON', { InputType: 'JSON' }, '[1, 2]', [1, 2]],
    ['JSON that is no text', { InputType: 'JSON' }, [1, 2], [1, 2]],
    ['JSON lines', { InputType: 'JSONL' }, '{"a": 1}\n{"a": 2}\n', [{ a: 1 }, { a: 2 }]],
    [
      'CSV with a header',
      { InputType: 'CSV', CSVHeaderLocation: 'FIRST_ROW' },
      'id,text\r\n1,"a ""b"", c"\r\n2,\r\n',
      [
        { id: '1', text: 'a "b", c' },
        { id: '2', text: '' },
      ],
    ],
    [
      'CSV with given headers',
      { InputType: 'CSV', CSVHeaderLocation: 'GIVEN', CSVHeaders: ['id'], CSVDelimiter: 'PIPE' },
      '1|x\n2|y',
      [{ id: '1' }, { id: '2' }],
    ],
    ['an object', { InputType: 'JSON' }, '{"a": 1}', [{ Key: 'a', Value: 1 }]],
    ['no more than MaxItems', { InputType: 'JSON', MaxItems: 1 }, '[1, 2]', [1]],
  ])('is read as %s', (_, config, data, items) => {
    expect(itemsOf(reader(config), data)['afterItemSelector']).toEqual(
      (items as Json[]).map((item) => ({ item })),
    );
  });

  test('is the part that ItemsPointer selects', () => {
    const definition = reader({ InputType: 'JSON', ItemsPointer: '/a~1b/0/list' });
    const { afterItemsPointer, afterItemSelector } = itemsOf(
      definition,
      '{"a/b": [{"list": ["x"]}]}',
    );
    expect({ afterItemsPointer, afterItemSelector }).toEqual({
      afterItemsPointer: ['x'],
      afterItemSelector: [{ item: 'x' }],
    });
  });

  test.each<[string, JsonObject, Json]>([
    ['text that is not of the type', { InputType: 'JSON' }, '[1'],
    ['a pointer to nothing', { InputType: 'JSON', ItemsPointer: '/none' }, '{}'],
  ])('fails with %s', (_, config, mapItemReaderData) => {
    const tested = run(reader(config), {}, { configuration: { mapItemReaderData } });
    expect(tested).toMatchObject({ status: 'failed', error: 'States.ItemReaderFailed' });
  });

  test('is the input of the Map when nothing else is given', () => {
    const definition = reader({ InputType: 'JSON' }, { ItemsPath: '$.orders' });
    expect(run(definition, { orders: [1] }).inspection['afterItemsPath']).toEqual([1]);
  });
});
