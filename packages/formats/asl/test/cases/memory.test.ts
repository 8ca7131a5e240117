import type { Json, JsonObject, PortInput } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { chain, echo, only, outputOf, pass, run, task } from '../run.ts';

/** Section B.10: memory across runs and within one. */

const wait = (time: string): JsonObject => ({ Type: 'Wait', Timestamp: time });
const memory = (block: JsonObject, ...more: JsonObject[]) => task({ Memory: block }, ...more);

const writes = (fields: JsonObject) =>
  memory({ Write: { Key: 'k', ...fields } }, { ResultPath: null });
const reads = (fields: JsonObject = {}) => memory({ Read: { Keys: ['k'], ...fields } });

test('a later state reads the memory that an earlier one wrote', async () => {
  const output = await outputOf(
    chain({ W: writes({ Value: { name: 'Ada' } }), R: reads({ InjectAt: '$.known' }) }),
    { input: { a: 1 }, agents: { A: echo } },
  );
  expect(output).toEqual({ a: 1, known: { k: { name: 'Ada' } } });
});

test('a key that was never written has its default, or null', async () => {
  expect(await outputOf(only(reads({ Default: [] })), { agents: { A: echo } })).toEqual({
    _memory: { k: [] },
  });
  const short = only(memory({ Read: ['x'] }));
  expect(await outputOf(short, { agents: { A: echo } })).toEqual({ _memory: { x: null } });
});

test('an expired entry is not found', async () => {
  const late = chain({
    W: writes({ Value: 1, TTL: '1h' }),
    Wait: wait('2026-01-20T11:30:00Z'),
    R: reads(),
  });
  expect(await outputOf(late, { agents: { A: echo } })).toEqual({ _memory: { k: null } });
});

test.for([
  [{ Value: [1] }, { Value: [2], Merge: true }, [1, 2]],
  [{ Value: { a: 1 } }, { Value: { b: 2 }, Merge: true }, { a: 1, b: 2 }],
  [{ Value: 1 }, { Value: 2, Overwrite: false }, 1],
  [{ Value: 1 }, { Value: 2 }, 2],
] as const)('%j and then %j is %j', async ([first, second, expected]) => {
  const workflow = chain({ One: writes(first), Two: writes(second), R: reads() });
  const output = await outputOf(workflow, { agents: { A: echo } });
  expect(output).toEqual({ _memory: { k: expected } });
});

test('a namespace comes from the data, and hides its entries from other namespaces', async () => {
  const inNamespace = (namespace: JsonObject, block: JsonObject) => ({ ...namespace, ...block });
  const workflow = chain({
    W: memory(inNamespace({ Namespace: 'user_{{$.id}}' }, { Write: { Key: 'k', Value: 'mine' } }), {
      ResultPath: null,
    }),
    Mine: memory(
      inNamespace({ 'Namespace.$': "States.Format('user_{}', $.id)" }, { Read: ['k'] }),
      {
        ResultPath: '$.mine',
      },
    ),
    Other: memory(inNamespace({ Namespace: 'user_8' }, { Read: ['k'] }), { ResultPath: '$.other' }),
  });
  const output = await outputOf(workflow, { input: { id: 7 }, agents: { A: echo } });
  expect(output).toMatchObject({
    mine: { _memory: { k: 'mine' } },
    other: { _memory: { k: null } },
  });
});

test('memories are found by their meaning and by their fields', async () => {
  const note = (text: string, kind: string) => ({
    'Key.$': 'States.UUID()',
    Value: { text, kind },
    Collection: 'notes',
  });
  const workflow = chain({
    W: pass({
      Memory: {
        Write: [note('The user likes green tea', 'taste'), note('Invoice is due', 'money')],
      },
    }),
    About: memory(
      { Read: { Query: 'Which tea?', Collection: 'notes', TopK: 1, InjectAt: '$.about' } },
      { ResultPath: '$.one' },
    ),
    Kind: memory(
      {
        Type: 'episodic',
        Read: { Collection: 'notes', Filter: { kind: 'money' }, InjectAt: '$.of' },
      },
      { ResultPath: '$.two' },
    ),
  });
  const output = await outputOf(workflow, { agents: { A: echo } });
  expect(output).toMatchObject({
    one: { about: [{ text: expect.stringContaining('green tea') as string, score: 0.5 }] },
    two: { of: [{ text: expect.stringContaining('Invoice') as string }] },
  });
});

test('a write reads from the output of the state, and then from its input', async () => {
  const kept: PortInput<'remember'>[] = [];
  const workflow = only(
    pass({
      Parameters: { text: 'handed on' },
      Memory: {
        Write: [
          { Key: 'a', 'Value.$': '$.text' },
          { Key: 'b', 'Value.$': '$.profile', TTL: '365d' },
        ],
      },
    }),
  );
  const output = await outputOf(workflow, {
    input: { profile: { name: 'Ada' } },
    agents: { A: echo },
    options: { dialect: 'agent' },
    ports: { remember: (input) => (kept.push(input), { stored: true }) },
  });
  expect(output).toEqual({ text: 'handed on' });
  expect(kept).toMatchObject([
    { name: 'a', value: 'handed on' },
    { name: 'b', value: { name: 'Ada' }, ttl: 365 * 24 * 3600 * 1000 },
  ]);
  expect(kept[0]!.key).not.toBe(kept[1]!.key);
});

test('a write stores the output of the state, which is computed once', async () => {
  const kept: PortInput<'remember'>[] = [];
  const fields = {
    ResultSelector: { 'title.$': '$.raw.title', 'id.$': 'States.UUID()' },
    ResultPath: '$.a',
    Assign: { 'seen.$': 'States.MathAdd($seen, 1)' },
  };
  const writing = (write: JsonObject, more: JsonObject = {}) =>
    chain({
      Begin: pass({ Assign: { seen: 0 }, Result: { in: 1 } }),
      S: memory({ Write: write }, fields, more),
      End: pass({ Parameters: { 'data.$': '$', 'seen.$': '$seen' } }),
    });
  const options = {
    agents: { A: () => ({ raw: { title: 'T' }, _tokens: 5 }) },
    ports: {
      remember: (input: PortInput<'remember'>) => (kept.push(input), { stored: true as const }),
    },
  };
  const titled = await outputOf(writing({ Key: 'k', 'Value.$': '$.a.title' }), options);
  expect(titled).toMatchObject({ data: { in: 1, a: { title: 'T' } }, seen: 1 });
  const whole = await outputOf(writing({ Key: 'k' }), options);
  const part = await outputOf(writing({ Key: 'k' }, { OutputPath: '$.a.title' }), options);
  expect(part).toEqual({ data: 'T', seen: 1 });
  expect(kept.map(({ value }) => value)).toEqual(['T', (whole as JsonObject)['data'], 'T']);
});

test('without a memory the state fails with an error that can be caught', async () => {
  const workflow = chain({
    T: reads({}),
    D: pass(),
  });
  (workflow['States'] as Record<string, Record<string, Json>>)['T']!['Catch'] = [
    { ErrorEquals: ['States.MemoryNotConfigured'], Next: 'D' },
  ];
  const { output } = await run(workflow, {
    agents: { A: echo },
    ports: { recall: undefined as never },
  });
  expect(output).toMatchObject({ output: { error: { Error: 'States.MemoryNotConfigured' } } });
});
