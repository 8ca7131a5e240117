import type { Json, JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { type Agent, chain, failure, only, outputOf, pass, run } from '../run.ts';

/** Amazon #map-state-item-batcher, AWS "ItemBatcher" */

const processor = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' } };

/** The batches that the machine of the items receives. */
function batched(ItemBatcher: JsonObject, ...parts: JsonObject[]): JsonObject {
  return only(
    Object.assign(
      {
        Type: 'Map',
        ItemsPath: '$.items',
        ItemBatcher,
        ItemProcessor: { ...processor, ...chain({ P: pass() }) },
      },
      ...parts,
    ),
  );
}

const five = { items: [1, 2, 3, 4, 5], most: 2, by: 'ana' };

test.for<[string, JsonObject, Json]>([
  [
    'have as many items as they may, and the last one the rest',
    { MaxItemsPerBatch: 2 },
    [{ Items: [1, 2] }, { Items: [3, 4] }, { Items: [5] }],
  ],
  [
    'may have the limit of a path',
    { MaxItemsPerBatchPath: '$.most' },
    [{ Items: [1, 2] }, { Items: [3, 4] }, { Items: [5] }],
  ],
  [
    'have the same BatchInput, which is a template of the input of the state',
    { MaxItemsPerBatch: 3, BatchInput: { 'by.$': '$.by', kind: 'x' } },
    [
      { BatchInput: { by: 'ana', kind: 'x' }, Items: [1, 2, 3] },
      { BatchInput: { by: 'ana', kind: 'x' }, Items: [4, 5] },
    ],
  ],
  [
    'have no more bytes than they may, with the braces around the items',
    { MaxInputBytesPerBatch: '{"Items":[1,2]}'.length },
    [{ Items: [1, 2] }, { Items: [3, 4] }, { Items: [5] }],
  ],
  [
    'count the bytes of BatchInput',
    { MaxInputBytesPerBatch: '{"BatchInput":"ä","Items":[1,2]}'.length + 1, BatchInput: 'ä' },
    [
      { BatchInput: 'ä', Items: [1, 2] },
      { BatchInput: 'ä', Items: [3, 4] },
      { BatchInput: 'ä', Items: [5] },
    ],
  ],
  [
    'obey both limits',
    { MaxItemsPerBatch: 4, MaxInputBytesPerBatch: '{"Items":[1,2,3]}'.length },
    [{ Items: [1, 2, 3] }, { Items: [4, 5] }],
  ],
])('batches %s', async ([, batcher, expected]) => {
  expect(await outputOf(batched(batcher), { input: five })).toEqual(expected);
});

test('an item that is larger than a batch is a batch of its own', async () => {
  const input = { items: ['a', 'long enough', 'b'] };
  expect(await outputOf(batched({ MaxInputBytesPerBatch: 16 }), { input })).toEqual([
    { Items: ['a'] },
    { Items: ['long enough'] },
    { Items: ['b'] },
  ]);
});

test('the limit and BatchInput may be expressions', async () => {
  const workflow = only({
    Type: 'Map',
    QueryLanguage: 'JSONata',
    Items: '{% $states.input.items %}',
    ItemSelector: { n: '{% $states.context.Map.Item.Value %}' },
    ItemBatcher: {
      MaxItemsPerBatch: '{% $states.input.most + 1 %}',
      BatchInput: { by: '{% $states.input.by %}' },
    },
    ItemProcessor: { ...processor, ...chain({ P: pass() }) },
  });
  expect(await outputOf(workflow, { input: five })).toEqual([
    { BatchInput: { by: 'ana' }, Items: [{ n: 1 }, { n: 2 }, { n: 3 }] },
    { BatchInput: { by: 'ana' }, Items: [{ n: 4 }, { n: 5 }] },
  ]);
});

test.for([0, -1])('a limit of %i is refused', async (most) => {
  const { output } = await run(batched({ MaxItemsPerBatchPath: '$.most' }), {
    input: { ...five, most },
  });
  expect(output).toEqual({
    status: 'failed',
    error: 'States.Runtime',
    cause: 'MaxItemsPerBatch must be at least 1.',
  });
});

test('the context object shows the batch as the item', async () => {
  const context = { 'item.$': '$$.Map.Item' };
  const workflow = batched(
    { MaxItemsPerBatch: 3 },
    { ItemProcessor: { ...processor, ...chain({ P: pass({ Parameters: context }) }) } },
  );
  expect(await outputOf(workflow, { input: five })).toEqual([
    { item: { Index: 0, Value: { Items: [1, 2, 3] } } },
    { item: { Index: 1, Value: { Items: [4, 5] } } },
  ]);
});

describe('tolerated failures', () => {
  const lambda = 'arn:aws:lambda:eu-west-1:123456789012:function:A';
  const failing: Agent = ({ Items: items }: { Items: number[] }) => {
    if (items.includes(1)) throw failure('Broken');
    return items;
  };
  const of = (tolerance: JsonObject) =>
    batched(
      { MaxItemsPerBatch: 2 },
      {
        ...tolerance,
        ItemProcessor: { ...processor, ...chain({ T: { Type: 'Task', Resource: lambda } }) },
      },
    );

  test.for<[JsonObject, string]>([
    [{ ToleratedFailurePercentage: 34 }, 'succeeded'],
    [{ ToleratedFailurePercentage: 33 }, 'failed'],
    [{ ToleratedFailureCount: 1 }, 'succeeded'],
    [{ ToleratedFailureCount: 0 }, 'failed'],
    [{ ToleratedFailureCount: 1, ToleratedFailurePercentage: 33 }, 'failed'],
    [{ ToleratedFailureCount: 0, ToleratedFailurePercentage: 100 }, 'failed'],
  ])('are counted in executions, so a batch is one: %j', async ([tolerance, status]) => {
    const { output } = await run(of(tolerance), { input: five, agents: { [lambda]: failing } });
    expect(output).toMatchObject({ status });
  });
});
