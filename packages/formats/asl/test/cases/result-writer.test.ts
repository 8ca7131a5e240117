import type { Json, JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import {
  type Agent,
  chain,
  failure,
  outputOf,
  only,
  pass,
  run,
  type RunOptions,
  task,
} from '../run.ts';

/** AWS "ResultWriter" and "Map Run". The agents answer for S3. */

const lambda = 'arn:aws:lambda:eu-west-1:123456789012:function:A';
const putObject = 'arn:aws:states:::s3:putObject';
const processor = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' } };

function map(...parts: JsonObject[]): JsonObject {
  return Object.assign(
    {
      Type: 'Map',
      Label: 'Run',
      ItemProcessor: { ...processor, ...chain({ T: { Type: 'Task', Resource: lambda } }) },
    },
    ...parts,
  );
}

const writer = { Resource: putObject, Parameters: { Bucket: 'out', Prefix: 'runs/' } };

interface PutRequest {
  readonly Bucket: string;
  readonly Key: string;
  readonly Body: string;
}

/** Runs a Map over a list, and returns its output and the written objects. */
async function written(
  items: Json,
  writerOf: JsonObject,
  { more = {}, ...options }: RunOptions & { more?: JsonObject } = {},
) {
  const objects = new Map<string, string>();
  const requests: PutRequest[] = [];
  const agents: Record<string, Agent> = {
    [lambda]: (input: Json) => input,
    [putObject]: (request: PutRequest) => {
      requests.push(request);
      objects.set(request.Key, request.Body);
      return {};
    },
    ...options.agents,
  };
  const workflow = only(map({ ResultWriter: writerOf }, more));
  const start = { id: 'e', name: 'Orders', ...options.start };
  const ran = await run(workflow, { input: items, ...options, start, agents });
  return { ...ran, objects, requests };
}

/** The UUID of a Map Run. */
const uuid = /[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/;

test('results are files by status with a manifest, whose place is the result of the state', async () => {
  const { output, objects, requests } = await written(['a', { b: 1 }], writer);
  const key = requests.at(-1)!.Key;
  const [name] = uuid.exec(key)!;
  expect(output).toEqual({
    status: 'succeeded',
    output: {
      MapRunArn: `e/Run:${name}`,
      ResultWriterDetails: { Bucket: 'out', Key: `runs/${name}/manifest.json` },
    },
  });
  expect([...objects.keys()]).toEqual([
    `runs/${name}/SUCCEEDED_0.json`,
    `runs/${name}/manifest.json`,
  ]);
  expect(requests[0]).toMatchObject({ Bucket: 'out', ContentType: 'application/json' });
  const results = objects.get(`runs/${name}/SUCCEEDED_0.json`)!;
  const record = (index: number, data: string) => ({
    ExecutionArn: `e/Run:${name}-${index}`,
    Input: data,
    InputDetails: { Included: true },
    Name: `${name}-${index}`,
    Output: data,
    OutputDetails: { Included: true },
    RedriveCount: 0,
    RedriveStatus: 'NOT_REDRIVABLE',
    RedriveStatusReason: 'Execution is SUCCEEDED and cannot be redriven',
    StartDate: '2026-01-20T10:30:00.000Z',
    StateMachineArn: 'Orders/Run',
    Status: 'SUCCEEDED',
    StopDate: '2026-01-20T10:30:00.000Z',
  });
  expect(JSON.parse(results)).toEqual([record(0, '"a"'), record(1, '{"b":1}')]);
  expect(JSON.parse(objects.get(key)!)).toEqual({
    DestinationBucket: 'out',
    MapRunArn: `e/Run:${name}`,
    ResultFiles: {
      FAILED: [],
      PENDING: [],
      SUCCEEDED: [{ Key: `runs/${name}/SUCCEEDED_0.json`, Size: results.length }],
    },
  });
});

test('an execution with an ARN gives ARNs to its Map Run and its children', async () => {
  const Id = 'arn:aws-cn:states:cn-north-1:123456789012:execution:Orders:one';
  const machine = 'arn:aws-cn:states:cn-north-1:123456789012:stateMachine:Orders';
  const context = { Execution: { Id }, StateMachine: { Id: machine, Name: 'Orders' } };
  const { output, objects } = await written(['a'], writer, { start: { context } });
  const { MapRunArn: arn } = (output as unknown as { output: { MapRunArn: string } }).output;
  const [name] = uuid.exec(arn)!;
  expect(arn).toBe(`arn:aws-cn:states:cn-north-1:123456789012:mapRun:Orders/Run:${name}`);
  const [record] = JSON.parse([...objects.values()][0]!) as JsonObject[];
  expect(record).toMatchObject({
    ExecutionArn: `arn:aws-cn:states:cn-north-1:123456789012:execution:Orders/Run:${name}-0`,
    StateMachineArn: `${machine}/Run`,
  });
});

const failing: Agent = (input: Json) => {
  if (input === 'bad') throw failure('Broken', 'it is bad');
  return input;
};

test('failed and pending items have files of their own, also when the Map fails', async () => {
  const { output, objects } = await written(['a', 'bad', 'c'], writer, {
    agents: { [lambda]: failing },
    more: { MaxConcurrency: 1 },
  });
  expect(output).toMatchObject({
    status: 'failed',
    error: 'States.ExceedToleratedFailureThreshold',
  });
  const statusesOf = (file: string) => {
    const key = [...objects.keys()].find((name) => name.endsWith(file))!;
    return (JSON.parse(objects.get(key)!) as JsonObject[]).map(
      ({ Status, Error: error, Cause: cause, Output: out, StartDate: start }) =>
        [Status, error, cause, out, start !== undefined] as const,
    );
  };
  expect(statusesOf('SUCCEEDED_0.json')).toEqual([
    ['SUCCEEDED', undefined, undefined, '"a"', true],
  ]);
  expect(statusesOf('FAILED_0.json')).toEqual([['FAILED', 'Broken', 'it is bad', undefined, true]]);
  expect(statusesOf('PENDING_0.json')).toEqual([
    ['PENDING', undefined, undefined, undefined, false],
  ]);
  const manifest = JSON.parse([...objects.values()].at(-1)!) as {
    ResultFiles: Record<string, unknown[]>;
  };
  expect(Object.values(manifest.ResultFiles).map((files) => files.length)).toEqual([1, 1, 1]);
});

describe('a Transformation', () => {
  const items = [[1, 2], 'bad', { a: 3 }];
  const more = { ToleratedFailurePercentage: 50 };
  const bodiesOf = async (config: JsonObject) => {
    const { objects } = await written(
      items,
      { ...writer, WriterConfig: config },
      {
        agents: { [lambda]: failing },
        more,
      },
    );
    return [...objects].slice(0, 2).map(([key, body]) => [key.split('/').at(-1), body] as const);
  };

  test('COMPACT keeps just outputs, and failures as they are', async () => {
    const [succeeded, failed] = await bodiesOf({ Transformation: 'COMPACT' });
    expect(succeeded).toEqual(['SUCCEEDED_0.json', '[[1,2],{"a":3}]']);
    expect(JSON.parse(failed![1])).toMatchObject([{ Error: 'Broken', Input: '"bad"' }]);
  });

  test('FLATTEN joins lists', async () => {
    const [succeeded] = await bodiesOf({ Transformation: 'FLATTEN', OutputType: 'JSON' });
    expect(succeeded).toEqual(['SUCCEEDED_0.json', '[1,2,{"a":3}]']);
  });

  test.for(['JSON', 'JSONL'])('the manifest has the bytes of each file in %s', async (type) => {
    const config = { Transformation: 'FLATTEN', OutputType: type };
    const lists = [[], ['é', 'ß'], [], 'ü'];
    const { objects } = await written(lists, { ...writer, WriterConfig: config });
    const [[key, body], [, manifest]] = [...objects] as [[string, string], [string, string]];
    const Size = new TextEncoder().encode(body).length;
    expect(JSON.parse(manifest)).toMatchObject({
      ResultFiles: { SUCCEEDED: [{ Key: key, Size }] },
    });
  });

  test('JSONL writes a line for each result', async () => {
    const [succeeded] = await bodiesOf({ Transformation: 'FLATTEN', OutputType: 'JSONL' });
    expect(succeeded).toEqual(['SUCCEEDED_0.jsonl', '1\n2\n{"a":3}\n']);
  });

  test.for<[string, Json]>([
    ['FLATTEN', [1, 2, { Error: 'Broken' }, { a: 3 }]],
    ['COMPACT', [[1, 2], { Error: 'Broken' }, { a: 3 }]],
    ['NONE', [{ Output: '[1,2]' }, { Error: 'Broken' }, { Output: '{"a":3}' }]],
  ])('%s without a Resource changes the result of the state', async ([name, expected]) => {
    const config = { WriterConfig: { Transformation: name, OutputType: 'JSON' } };
    const { output, calls } = await written(items, config, { agents: { [lambda]: failing }, more });
    expect(output).toMatchObject({ status: 'succeeded', output: expected });
    expect(calls.filter(({ agent }) => agent === putObject)).toEqual([]);
  });
});

test('large results are several files', async () => {
  const text = 'x'.repeat(3 * 1024 * 1024);
  const { objects } = await written([1, 2, 3], writer, {
    agents: { A: () => text },
    more: { ItemsPath: '$', ItemProcessor: { ...processor, ...chain({ T: task() }) } },
  });
  expect([...objects.keys()].map((key) => key.split('/').at(-1))).toEqual([
    'SUCCEEDED_0.json',
    'SUCCEEDED_1.json',
    'manifest.json',
  ]);
  const counts = [...objects.values()]
    .slice(0, 2)
    .map((body) => (JSON.parse(body) as Json[]).length);
  expect(counts).toEqual([2, 1]);
});

test('a Map without items writes a manifest', async () => {
  const { objects } = await written([], writer);
  expect([...objects.keys()].map((key) => key.split('/').at(-1))).toEqual(['manifest.json']);
});

test('the place may be computed, in both languages, and the prefix be absent', async () => {
  const path = { Resource: putObject, Parameters: { 'Bucket.$': '$.to' } };
  const more = { ItemsPath: '$.items' };
  const input = { to: 'here', items: [1] };
  const { requests } = await written(input, path, { more });
  expect(requests[0]).toMatchObject({
    Bucket: 'here',
    Key: expect.stringMatching(/^[\da-f-]{36}\/SUCCEEDED_0\.json$/) as string,
  });
  const jsonata = {
    Resource: putObject,
    Arguments: { Bucket: '{% $states.input.to %}', Prefix: 'p', ExpectedBucketOwner: '1' },
  };
  const ran = await written(input, jsonata, {
    more: { QueryLanguage: 'JSONata', Items: '{% $states.input.items %}' },
  });
  expect(ran.requests[0]).toMatchObject({
    Bucket: 'here',
    ExpectedBucketOwner: '1',
    Key: expect.stringMatching(/^p\//) as string,
  });
  expect(ran.requests[0]).not.toHaveProperty('Prefix');
});

test.for<[JsonObject, string]>([
  [{}, 'The "Bucket" of the ResultWriter is missing.'],
  [{ Bucket: 'b', Prefix: 1 }, 'The "Prefix" of the ResultWriter is not a text.'],
])('a place that is wrong fails before any item runs: %j', async ([parameters, cause]) => {
  const { output, calls } = await written([1], { ...writer, Parameters: parameters });
  expect(output).toEqual({ status: 'failed', error: 'States.ResultWriterFailed', cause });
  expect(calls).toEqual([]);
});

test('an error of S3 is States.ResultWriterFailed, which a catcher names', async () => {
  const { output } = await written([1], writer, {
    agents: {
      [putObject]: () => {
        throw failure('S3.NoSuchBucketException', 'no bucket');
      },
    },
  });
  const cause = 'S3.NoSuchBucketException: no bucket';
  expect(output).toEqual({ status: 'failed', error: 'States.ResultWriterFailed', cause });
});

test('a crash at any call writes the same files', async () => {
  const crashed = await written(['a', 'bad', 'c'], writer, {
    agents: { [lambda]: failing },
    more: { ToleratedFailureCount: 1 },
    recover: true,
  });
  expect(crashed.output).toMatchObject({ status: 'succeeded' });
  const keys = crashed.requests.map(({ Key }) => Key.split('/').at(-1));
  expect(keys).toEqual(['SUCCEEDED_0.json', 'FAILED_0.json', 'manifest.json']);
  expect(new Set(crashed.requests.map(({ Key }) => uuid.exec(Key)![0])).size).toBe(1);
  const succeeded = JSON.parse([...crashed.objects.values()][0]!) as Json[];
  expect(succeeded).toHaveLength(2);
});

describe('a distributed Map', () => {
  test.for<[JsonObject, string]>([
    [{}, 'States.ExceedToleratedFailureThreshold'],
    [{ ToleratedFailureCount: 0 }, 'States.ExceedToleratedFailureThreshold'],
  ])('fails by its own name with the first failure: %j', async ([more, error]) => {
    const { output } = await run(only(map(more)), {
      input: ['bad'],
      agents: { [lambda]: failing },
    });
    expect(output).toMatchObject({ status: 'failed', error });
  });

  test('tolerates a percentage without losing an item to rounding', async () => {
    // 2.3 % of 1,000 are 23, which floating point makes 22.999999999999996.
    const items = Array.from({ length: 1000 }, (_, index) => (index < 23 ? 'bad' : 'good'));
    const workflow = only(map({ ToleratedFailurePercentage: 2.3 }));
    const { output } = await run(workflow, { input: items, agents: { [lambda]: failing } });
    expect(output).toMatchObject({ status: 'succeeded' });
    const more = { input: ['bad', ...items.slice(0, -1)], agents: { [lambda]: failing } };
    expect((await run(workflow, more)).output).toMatchObject({ status: 'failed' });
  });

  test('runs each item as an execution, with its own identity, input and start', async () => {
    const context = { 'e.$': '$$.Execution', 'm.$': '$$.StateMachine', 'i.$': '$$.Map.Item.Index' };
    const inner = {
      Type: 'Map',
      ItemProcessor: chain({ In: pass({ Parameters: { 'of.$': '$$.Execution.Name' } }) }),
      ItemsPath: '$.e.Input',
      ResultPath: '$.inner',
    };
    const machine = { ...processor, ...chain({ P: pass({ Parameters: context }), Inner: inner }) };
    const workflow = chain({
      Wait: { Type: 'Wait', Seconds: 60 },
      M: map({ ItemProcessor: machine }),
    });
    const output = await outputOf(workflow, {
      input: [['a', 'b']],
      start: { id: 'e', name: 'Orders', context: { Execution: { RoleArn: 'role' } } },
    });
    const [child] = output as [{ e: { Name: string } }];
    const { Name: name } = child.e;
    expect(name).toMatch(new RegExp(`^${uuid.source}-0$`));
    expect(child).toEqual({
      e: {
        Id: `e/Run:${name}`,
        Input: ['a', 'b'],
        Name: name,
        RedriveCount: 0,
        RoleArn: 'role',
        StartTime: '2026-01-20T10:31:00.000Z',
      },
      m: { Id: 'Orders/Run', Name: 'Orders/Run' },
      i: 0,
      inner: [{ of: name }, { of: name }],
    });
  });
});
