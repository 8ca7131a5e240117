import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askPort, type Json, type PortCall } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { memoryPorts, realClock } from '../src/index.ts';

const call: PortCall = { signal: new AbortController().signal, onText: () => {} };

function memory(options: Parameters<typeof memoryPorts>[0] = {}) {
  const ports = memoryPorts(options);
  let calls = 0;
  return {
    remember: (name: string, value: Json, more: object = {}) =>
      askPort('remember', ports.remember, { key: `c${(calls += 1)}`, name, value, ...more }, call),
    recall: (more: object) =>
      askPort(
        'recall',
        ports.recall,
        { key: 'r', transcript: { conversation: 'c', length: 0 }, queries: [], limit: 10, ...more },
        call,
      ),
  };
}

test('a repeated call is stored once', async () => {
  const { remember, recall } = memory();
  expect(await remember('list', [1], { key: 'a', merge: true })).toEqual({ stored: true });
  expect(await remember('list', [2], { key: 'b', merge: true })).toEqual({ stored: true });
  expect(await remember('list', [1], { key: 'a', merge: true })).toEqual({ stored: false });
  expect(await recall({ keys: ['list', 'none'] })).toEqual({
    memories: [],
    values: { list: [1, 2] },
  });
});

test('memories expire by the given clock', async () => {
  let now = 0;
  const { remember, recall } = memory({
    clock: { world: { ...realClock().world, now: () => now } },
  });
  await remember('short', 1, { ttl: 1000 });
  now = 999;
  expect(await recall({ keys: ['short'] })).toMatchObject({ values: { short: 1 } });
  now = 1000;
  expect(await recall({ keys: ['short'] })).toMatchObject({ values: {} });
});

test('names of object properties are ordinary names', async () => {
  const { remember, recall } = memory();
  await remember('__proto__', 'kept', { namespace: 'constructor' });
  const { values } = (await recall({
    keys: ['__proto__', 'toString'],
    namespace: 'constructor',
  })) as {
    values: object;
  };
  expect(Object.keys(values).filter((name) => name === 'toString')).toEqual([]);
  expect(({} as Record<string, unknown>)['kept']).toBeUndefined();
});

test('memories are listed newest first, or oldest first', async () => {
  const { remember, recall } = memory();
  for (const text of ['one', 'two', 'three']) await remember(text, text);
  expect(await recall({ limit: 2 })).toEqual({ memories: [{ text: 'three' }, { text: 'two' }] });
  expect(await recall({ limit: 1, order: 'oldest' })).toEqual({ memories: [{ text: 'one' }] });
});

test('texts are ranked by the words that they share with the query', async () => {
  const { recall } = memory();
  const candidates = ['about coffee', 'green tea and coffee', 'nothing'];
  expect(await recall({ queries: ['green coffee'], candidates })).toEqual({
    memories: [
      { text: 'green tea and coffee', score: 1 },
      { text: 'about coffee', score: 0.5 },
    ],
  });
});

test('memories in a file survive the process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-memory-'));
  try {
    const file = join(folder, 'kept', 'memory.json');
    await memory({ file }).remember('name', 'Ada', { namespace: 'u7' });
    expect(await memory({ file }).recall({ keys: ['name'], namespace: 'u7' })).toMatchObject({
      values: { name: 'Ada' },
    });
    writeFileSync(file, '[]');
    expect(() => memory({ file })).toThrow(/is not a memory file/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
