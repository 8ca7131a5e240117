import type { Json, JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { type Agent, chain, failure, only, outputOf, pass, run } from '../run.ts';

/** AWS "ItemReader". The agents answer for S3 as the SDK does. */

const getObject = 'arn:aws:states:::s3:getObject';
const listObjects = 'arn:aws:states:::s3:listObjectsV2';

function map(reader: JsonObject, ...parts: JsonObject[]): JsonObject {
  return Object.assign(
    {
      Type: 'Map',
      ItemReader: {
        Resource: getObject,
        Parameters: { Bucket: 'lists', Key: 'orders' },
        ...reader,
      },
      ItemProcessor: {
        ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
        ...chain({ P: pass() }),
      },
    },
    ...parts,
  );
}

async function itemsOf(body: Json, config: JsonObject, ...parts: JsonObject[]): Promise<Json> {
  const agents = { [getObject]: () => ({ Body: body }) };
  return outputOf(only(map({ ReaderConfig: config }, ...parts)), { agents });
}

async function causeOf(body: Json, config: JsonObject): Promise<Json | undefined> {
  const agents = { [getObject]: () => ({ Body: body }) };
  const { output } = await run(only(map({ ReaderConfig: config })), { agents });
  expect(output).toMatchObject({ status: 'failed', error: 'States.ItemReaderFailed' });
  return output?.status === 'failed' ? output.cause : undefined;
}

const csv = { InputType: 'CSV', CSVHeaderLocation: 'FIRST_ROW' };

describe('a CSV table', () => {
  test.for<[string, string, Json, JsonObject?]>([
    [
      'has texts under the headers of its first row',
      'id,n\na,1\nb,2',
      rows(['a', '1'], ['b', '2']),
    ],
    ['may end its lines with CR LF and a blank line', 'id,n\r\na,1\r\n\r\n', rows(['a', '1'])],
    ['may begin with a byte order mark', '\ufeffid,n\na,1', rows(['a', '1'])],
    ['has empty texts for missing cells', 'id,n\na', rows(['a', ''])],
    ['has no cells beyond its headers', 'id,n\na,1,2,3', rows(['a', '1'])],
    ['may quote delimiters and line breaks', 'id,n\n"a,\nb",1', rows(['a,\nb', '1'])],
    ['doubles quotation marks in quotes', 'id,n\n"say ""a""",1', rows(['say "a"', '1'])],
    ['may begin a quoted cell with a quotation mark', 'id,n\n"""a""",""', rows(['"a"', ''])],
    [
      'doubles quotation marks outside of quotes',
      'id,n\n{""k"":""v""},""',
      rows(['{"k":"v"}', '']),
    ],
    ['keeps a quotation mark within a cell', 'id,n\n5" bolt,1', rows(['5" bolt', '1'])],
    ['escapes with backslashes', 'id,n\nC:\\\\x\\,\\"y\\",\\1', rows(['C:\\x,"y"', '1'])],
    ['without rows has no items', 'id,n\n', []],
    ['without anything has no items', '', []],
    [
      'may have other delimiters',
      'id;n\na;1,5',
      rows(['a', '1,5']),
      { ...csv, CSVDelimiter: 'SEMICOLON' },
    ],
    [
      'may have its headers in the definition',
      'a\t1',
      rows(['a', '1']),
      {
        InputType: 'CSV',
        CSVHeaderLocation: 'GIVEN',
        CSVHeaders: ['id', 'n'],
        CSVDelimiter: 'TAB',
      },
    ],
    ['is read up to MaxItems', 'id,n\na,1\nb,2\nc,3', rows(['a', '1']), { ...csv, MaxItems: 1 }],
    ['is read as a whole with MaxItems 0', 'id,n\na,1', rows(['a', '1']), { ...csv, MaxItems: 0 }],
  ])('%s', async ([, body, expected, config = csv]) => {
    expect(await itemsOf(body, config)).toEqual(expected);
  });

  test.for<[string, string, string]>([
    [
      'two columns with one header',
      'id,id\n1,2',
      'Two columns of the CSV table have the header "id".',
    ],
    [
      'a quotation mark that is not closed',
      'id\na\n"b\nc',
      'The quotation mark in line 3 of the CSV table is not closed.',
    ],
    [
      'headers longer than 10 KiB',
      `${'h'.repeat(10_241)}\n1`,
      'The headers of the CSV table have 10242 characters. 10,240 are allowed.',
    ],
  ])('fails with %s', async ([, body, cause]) => {
    expect(await causeOf(body, csv)).toBe(cause);
  });

  function rows(...cells: [string, string][]): Json {
    return cells.map(([id, n]) => ({ id, n }));
  }
});

describe('a JSON object', () => {
  test.for<[string, Json, JsonObject, Json]>([
    ['gives the items of its list', '[1, {"a": 2}]', {}, [1, { a: 2 }]],
    ['gives a key and a value of each field', '{"a": 1}', {}, [{ Key: 'a', Value: 1 }]],
    ['is read below an ItemsPointer', '{"a/b": [{"c": [3]}]}', { ItemsPointer: '/a~1b/0/c' }, [3]],
    ['is read as a whole with an empty ItemsPointer', '[1]', { ItemsPointer: '' }, [1]],
    ['is read up to MaxItems', '[1, 2, 3]', { MaxItems: 2 }, [1, 2]],
    ['may come from an agent as JSON', [1, 2], {}, [1, 2]],
    ['may have no items', '[]', {}, []],
  ])('%s', async ([, body, config, expected]) => {
    expect(await itemsOf(body, { InputType: 'JSON', ...config })).toEqual(expected);
  });

  test.for<[string, Json, JsonObject, RegExp]>([
    ['that is malformed', '[1,', {}, /^The data of the ItemReader is not JSON: /],
    ['that is a number', '7', {}, /^Attempting to map over non-iterable node\. .* is a number/],
    ['without what the ItemsPointer names', '{}', { ItemsPointer: '/a' }, /"\/a" leads to nothing/],
  ])('%s fails', async ([, body, config, cause]) => {
    expect(await causeOf(body, { InputType: 'JSON', ...config })).toMatch(cause);
  });
});

test('each line of JSON Lines is an item', async () => {
  const body = '\ufeff{"a": 1}\r\n\n"b"\n3\n';
  expect(await itemsOf(body, { InputType: 'JSONL' })).toEqual([{ a: 1 }, 'b', 3]);
  expect(await itemsOf(body, { InputType: 'JSONL', MaxItems: 1 })).toEqual([{ a: 1 }]);
  expect(await causeOf('1\n\n{"a":', { InputType: 'JSONL' })).toMatch(
    /^Line 3 of the ItemReader's data is not JSON: /,
  );
});

test('Parquet is refused with the next thing to do, unless an agent gives the rows', async () => {
  expect(await causeOf('PAR1', { InputType: 'PARQUET' })).toMatch(
    /^Parquet cannot be read here\. /,
  );
  expect(await itemsOf([{ a: 1 }], { InputType: 'PARQUET' })).toEqual([{ a: 1 }]);
});

/** S3 with a few objects. */
function storage(objects: Readonly<Record<string, string>>): Readonly<Record<string, Agent>> {
  return {
    [getObject]: ({ Bucket, Key }) => {
      const body = objects[`${Bucket}/${Key}`];
      if (body === undefined) throw failure('S3.NoSuchKeyException', `${Bucket}/${Key}`);
      return { Body: body };
    },
    // Two objects a page.
    [listObjects]: ({ Bucket, Prefix = '', ContinuationToken = '' }) => {
      const keys = Object.keys(objects)
        .filter((name) => name.startsWith(`${Bucket}/${Prefix}`))
        .map((name) => name.slice(String(Bucket).length + 1))
        .filter((key) => key > ContinuationToken);
      const page = keys.slice(0, 2);
      return {
        Contents: page.map((Key) => ({ Key, ETag: '"e"', LastModified: 1, Size: 3, Owner: 'me' })),
        IsTruncated: keys.length > 2,
        ...(keys.length > 2 && { NextContinuationToken: page.at(-1)! }),
      };
    },
  };
}

describe('a list of objects', () => {
  const objects = { 'b/in/': '', 'b/in/1': '[1, 2]', 'b/in/2': '[3]', 'b/in/3': '[4]', 'b/x': '' };
  const list = (config: JsonObject): JsonObject =>
    map(
      {
        Resource: listObjects,
        Parameters: { Bucket: 'b', Prefix: 'in/' },
        ReaderConfig: config,
      },
      { ItemSelector: { 'value.$': '$$.Map.Item.Value', 'source.$': '$$.Map.Item.Source' } },
    );

  test('gives what S3 says about each, on all pages', async () => {
    const output = await outputOf(only(list({ MaxItems: 3 })), { agents: storage(objects) });
    const item = (Key: string) => ({ Etag: '"e"', Key, LastModified: 1, Size: 3 });
    expect(output).toEqual(
      ['in/', 'in/1', 'in/2'].map((key) => ({ value: item(key), source: 'S3://b' })),
    );
  });

  test('gives the items in them with LOAD_AND_FLATTEN', async () => {
    const workflow = only(list({ Transformation: 'LOAD_AND_FLATTEN', InputType: 'JSON' }));
    const { output, calls } = await run(workflow, { agents: storage(objects) });
    expect(output).toMatchObject({
      output: [
        { value: 1, source: 'S3://b/in/1' },
        { value: 2, source: 'S3://b/in/1' },
        { value: 3, source: 'S3://b/in/2' },
        { value: 4, source: 'S3://b/in/3' },
      ],
    });
    expect(calls.map(({ input }) => input)).toEqual([
      { Bucket: 'b', Prefix: 'in/' },
      { Bucket: 'b', Prefix: 'in/', ContinuationToken: 'in/1' },
      { Bucket: 'b', Key: 'in/1' },
      { Bucket: 'b', Key: 'in/2' },
      { Bucket: 'b', Key: 'in/3' },
    ]);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(5);
  });

  test('is read no further than MaxItems', async () => {
    const config = { Transformation: 'LOAD_AND_FLATTEN', InputType: 'JSON', MaxItems: 2 };
    const { calls } = await run(only(list(config)), { agents: storage(objects) });
    expect(calls.map(({ input }) => (input as JsonObject)['Key'])).toEqual([
      undefined,
      undefined,
      'in/1',
    ]);
  });

  test('that never ends fails', async () => {
    const agents = {
      [listObjects]: () => ({ Contents: [], IsTruncated: true, NextContinuationToken: 'a' }),
    };
    const { output, calls } = await run(only(list({})), { agents });
    expect(output).toMatchObject({ error: 'States.ItemReaderFailed' });
    expect(calls).toHaveLength(2);
  });
});

describe('a manifest', () => {
  const inventory = {
    sourceBucket: 'src',
    destinationBucket: 'arn:aws:s3:::inv',
    fileFormat: 'CSV',
    fileSchema: 'Bucket, Key, Size',
    files: [{ key: 'data/1.csv' }, { key: 'data/2.csv' }],
  };

  test('of an S3 inventory gives the rows of its files', async () => {
    const agents = storage({
      'lists/orders': JSON.stringify(inventory),
      'inv/data/1.csv': '"src","a.txt","1"\n',
      'inv/data/2.csv': '"src","b.txt","2"\n',
    });
    const workflow = only(map({ ReaderConfig: { InputType: 'MANIFEST' } }));
    expect(await outputOf(workflow, { agents })).toEqual([
      { Bucket: 'src', Key: 'a.txt', Size: '1' },
      { Bucket: 'src', Key: 'b.txt', Size: '2' },
    ]);
  });

  test('of Athena gives the items of its files', async () => {
    const agents = storage({
      'lists/orders': 's3://out/q/1\ns3://out/q/2\n',
      'out/q/1': '{"a":1}\n{"a":2}',
      'out/q/2': '{"a":3}',
    });
    const config = { ManifestType: 'ATHENA_DATA', InputType: 'JSONL' };
    const workflow = only(map({ ReaderConfig: config }));
    expect(await outputOf(workflow, { agents })).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });

  test.for<[string, JsonObject, string, RegExp]>([
    ['of something else', { ManifestType: 'S3_INVENTORY' }, '{}', /not one of an S3 inventory/],
    [
      'of an inventory in ORC',
      { InputType: 'MANIFEST' },
      JSON.stringify({ ...inventory, fileFormat: 'ORC' }),
      /have the format "ORC"/,
    ],
    [
      'of Athena with another line',
      { ManifestType: 'ATHENA_DATA', InputType: 'JSONL' },
      'http://a/b',
      /has the line "http:\/\/a\/b"/,
    ],
  ])('%s fails', async ([, config, body, cause]) => {
    expect(await causeOf(body, config)).toMatch(cause);
  });
});

test('the request is a template of the input, in both languages', async () => {
  const agents = { [getObject]: ({ Key }: { Key: string }) => ({ Body: [Key] }) };
  const input = { file: 'a', most: '1', prefix: 'p' };
  const path = map({
    Parameters: { Bucket: 'b', 'Key.$': '$.file' },
    ReaderConfig: { InputType: 'JSON', MaxItemsPath: '$.most' },
  });
  expect(await outputOf(only(path), { agents, input })).toEqual(['a']);
  const { Parameters: _, ...reader } = path['ItemReader'] as JsonObject;
  const jsonata = {
    ...path,
    QueryLanguage: 'JSONata',
    ItemReader: {
      ...reader,
      Arguments: { Bucket: 'b', Key: '{% $states.input.file & ".json" %}' },
      ReaderConfig: { InputType: 'JSON', MaxItems: '{% $number($states.input.most) %}' },
    },
    ItemSelector: {
      prefix: '{% $states.input.prefix %}',
      key: '{% $states.context.Map.Item.Value %}',
    },
  };
  expect(await outputOf(only(jsonata), { agents, input })).toEqual([
    { prefix: 'p', key: 'a.json' },
  ]);
});

test('the context object says where an item is from', async () => {
  const context = { 'item.$': '$$.Map.Item' };
  const { ItemReader: _, ...read } = map({});
  const items = { ...read, ItemsPath: '$.items', ItemSelector: context };
  const item = { Index: 0, Key: 'a', Value: { Key: 'a', Value: 1 } };
  const agents = { [getObject]: () => ({ Body: '{"a": 1}' }) };
  expect(await outputOf(only(map({}, { ItemSelector: context })), { agents })).toEqual([
    { item: { ...item, Source: 'S3://lists/orders' } },
  ]);
  expect(await outputOf(only(items), { input: { items: { a: 1 } } })).toEqual([
    { item: { ...item, Source: 'STATE_DATA' } },
  ]);
  expect(await outputOf(only(items), { input: { items: [2] } })).toEqual([
    { item: { Index: 0, Value: 2, Source: 'STATE_DATA' } },
  ]);
});

test('ItemSelector sees the input of the state, and not what was read', async () => {
  const agents = { [getObject]: () => ({ Body: '[1]' }) };
  const workflow = only(map({}, { ItemSelector: { 'all.$': '$', 'one.$': '$$.Map.Item.Value' } }));
  expect(await outputOf(workflow, { agents, input: { by: 'ana' } })).toEqual([
    { all: { by: 'ana' }, one: 1 },
  ]);
});

test('an error of S3 is States.ItemReaderFailed, which a catcher or a retrier names', async () => {
  const errors = { ErrorEquals: ['States.ItemReaderFailed'] };
  const workflow = chain({
    M: map(
      {},
      { Retry: [{ ...errors, MaxAttempts: 1 }], Catch: [{ ...errors, Next: 'C' }], End: true },
    ),
    C: pass(),
  });
  const { output, calls } = await run(workflow, { agents: storage({}) });
  expect(output).toEqual({
    status: 'succeeded',
    output: { Error: 'States.ItemReaderFailed', Cause: 'S3.NoSuchKeyException: lists/orders' },
  });
  expect(new Set(calls.map(({ key }) => key)).size).toBe(2);
});

test.for<[JsonObject, string]>([
  [{ Bucket: 'b' }, 'The field "Key" of the ItemReader is missing.'],
  [{ Bucket: '', Key: 'k' }, 'The field "Bucket" of the ItemReader is no text, or empty.'],
])('a request without a place is refused: %j', async ([parameters, cause]) => {
  const { output, calls } = await run(only(map({ Parameters: parameters })), {});
  expect(output).toEqual({ status: 'failed', error: 'States.ItemReaderFailed', cause });
  expect(calls).toEqual([]);
});

test('a crash while it reads loses and doubles nothing', async () => {
  const agents = storage({ 'b/1': '[1]', 'b/2': '[2]', 'b/3': '[3]' });
  const workflow = only(
    map({
      Resource: listObjects,
      Parameters: { Bucket: 'b' },
      ReaderConfig: { Transformation: 'LOAD_AND_FLATTEN', InputType: 'JSON' },
    }),
  );
  expect(await outputOf(workflow, { agents, recover: true })).toEqual([1, 2, 3]);
});
