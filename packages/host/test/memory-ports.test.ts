import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, PortCall } from '@dramaturg/compiler';
import { askPort } from '@dramaturg/compiler/machine';
import { expect, test } from 'vitest';
import { memoryPorts, realClock } from '../src/index.ts';
import type { Memory } from '../src/memory/memory.ts';
import { memoryFile, parseMemories, readMemories } from '../src/memory/memory-ports.ts';
import type { FileSystem } from '../src/store/disk/file-system.ts';
import { nodeFileSystem } from '../src/store/disk/node-file-system.ts';

const call: PortCall = { signal: new AbortController().signal, onText: () => {} };

function memory(options: Parameters<typeof memoryPorts>[0] = {}) {
  const ports = memoryPorts(options);
  let calls = 0;
  return {
    forget: ports.forget,
    memoriesOf: ports.memoriesOf,
    remember: (name: string, value: Json, more: object = {}, by: PortCall = call) =>
      askPort('remember', ports.remember, { key: `c${(calls += 1)}`, name, value, ...more }, by),
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
    const wrong = memory({ file });
    await expect(wrong.remember('name', 'Ben')).rejects.toThrow(/is not a memory file/);
    await expect(wrong.recall({})).rejects.toThrow(/is not a memory file/);
    await expect(wrong.forget(['i'])).rejects.toThrow(/is not a memory file/);
    expect(readFileSync(file, 'utf8')).toBe('[]');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a memory file that a person has formatted is read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'memories-'));
  try {
    const file = join(folder, 'memory.json');
    await memory({ file }).remember('name', 'Ada');
    await memory({ file }).remember('name', 'Ben', { namespace: 'u7' });
    const written = await readMemories(file);
    expect(written).toHaveLength(2);
    const { memories } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ memories }, null, 2));
    expect(await readMemories(file)).toEqual(written);
    writeFileSync(file, '{"memories": [\n\n]}\n');
    expect(await readMemories(file)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('many memories are parsed in slices, and the event loop gets a turn between them', async () => {
  const lines = Array.from({ length: 5_000 }, (_, number) =>
    JSON.stringify({ namespace: '', name: `m${number}`, kind: 'value', parts: [], at: 0, by: [] }),
  );
  let turnsOfLoop = 0;
  let isCounting = true;
  const count = () => {
    turnsOfLoop += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const memories = await parseMemories(`{"memories": [\n${lines.join(',\n')}\n]}\n`);
  isCounting = false;
  expect(memories.map(({ name }) => name)).toEqual(lines.map((_, number) => `m${number}`));
  expect(turnsOfLoop).toBeGreaterThanOrEqual(10);
});

const from = (instance: string): PortCall => ({ ...call, instance });

test('a memory forgets what an instance has stored, and keeps the parts of others', async () => {
  const { remember, recall, forget } = memory();
  await remember('list', ['of ada'], { merge: true }, from('a'));
  await remember('list', 'of bob', { merge: true }, from('b'));
  await remember('list', ['of ada again'], { merge: true }, from('a'));
  await remember('fields', { mood: 'good', age: 9 }, { merge: true }, from('a'));
  await remember('fields', { mood: 'bad' }, { merge: true }, from('b'));
  await remember('one', 'of ada', {}, from('a'));
  await remember('two', 'of ada', {}, from('a'));
  await remember('two', 'of bob', {}, from('b'));
  await remember('none', 'of nobody');
  expect(await forget(['a', 'c'])).toBe(4);
  expect(await recall({ keys: ['list', 'fields', 'one', 'two', 'none'] })).toMatchObject({
    values: { list: ['of bob'], fields: { mood: 'bad' }, two: 'of bob', none: 'of nobody' },
  });
  expect(await forget(['a', 'c'])).toBe(0);
});

test('the ids of instances are compared as a whole', async () => {
  const { remember, recall, forget } = memory();
  await remember('kept', 1, { key: 'a/b/call' }, from('a/b'));
  expect(await forget(['a'])).toBe(0);
  expect(await recall({ keys: ['kept'] })).toMatchObject({ values: { kept: 1 } });
});

test('a file has nothing of a forgotten instance, even after a write that was cut off', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'memories-'));
  try {
    const file = join(folder, 'memory.json');
    const { remember, forget, memoriesOf } = memory({ file });
    await remember('secret-name', 'secret-value', { namespace: 'secret' }, from('secret-id'));
    await remember('shared', ['secret-item'], { merge: true }, from('secret-id'));
    await remember('shared', ['kept'], { merge: true }, from('other'));
    writeFileSync(`${file}.tmp`, 'secret-draft');
    expect(await memoriesOf(['secret-id'])).toMatchObject([
      { namespace: 'secret', name: 'secret-name', value: 'secret-value' },
      { name: 'shared', value: ['secret-item'] },
    ]);
    await forget(['secret-id']);
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(texts.join('')).not.toContain('secret');
    expect(await memory({ file }).recall({ keys: ['shared'] })).toMatchObject({
      values: { shared: ['kept'] },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('many memories are ranked in slices, and the event loop gets a turn between them', async () => {
  const { remember, recall } = memory();
  for (let number = 0; number < 3_000; number += 1)
    await remember(`m${number}`, `coffee ${number}`);
  let turnsOfLoop = 0;
  let isCounting = true;
  const count = () => {
    turnsOfLoop += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const { memories } = (await recall({ queries: ['coffee 7'], limit: 1 })) as {
    readonly memories: readonly { readonly text: string }[];
  };
  isCounting = false;
  expect(memories[0]).toMatchObject({ text: 'coffee 7' });
  expect(turnsOfLoop).toBeGreaterThanOrEqual(14);
});

test('memories that are stored at the same time share writes, and each is stored when its call is answered', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'memories-'));
  try {
    const file = join(folder, 'memory.json');
    let writes = 0;
    const counted: FileSystem = {
      ...nodeFileSystem(),
      rename(path, target) {
        writes += 1;
        return nodeFileSystem().rename(path, target);
      },
    };
    const memories: Memory[] = [];
    const saved = memoryFile(file, () => [...memories], counted);
    await Promise.all(
      Array.from({ length: 100 }, async (_, number) => {
        await new Promise((next) => setImmediate(next));
        const name = `m${number}`;
        memories.push({ namespace: '', name, kind: 'value', parts: [{ value: 1 }], at: 0, by: [] });
        await saved.save();
        expect((await readMemories(file)).map((stored) => stored.name)).toContain(name);
      }),
    );
    expect(await readMemories(file)).toEqual(memories);
    expect(writes).toBeLessThan(10);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a call that is repeated after an error of the file is stored', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'memories-'));
  try {
    const file = join(folder, 'memory.json');
    const { remember, memoriesOf } = memory({ file });
    // The file has been read.
    await memoriesOf([]);
    mkdirSync(join(file, 'in the way'), { recursive: true });
    await expect(remember('name', 'Ada', { key: 'once' })).rejects.toThrow(
      'The port "remember" failed',
    );
    rmSync(file, { recursive: true });
    expect(await remember('name', 'Ada', { key: 'once' })).toEqual({ stored: false });
    expect(await memory({ file }).recall({ keys: ['name'] })).toMatchObject({
      values: { name: 'Ada' },
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('many memories are written in slices, and the event loop gets a turn between them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'memories-'));
  try {
    const memories = Array.from({ length: 5_000 }, (_, number): Memory => {
      const name = `m${number}`;
      return { namespace: '', name, kind: 'value', parts: [{ value: number }], at: 0, by: [] };
    });
    const file = join(folder, 'memory.json');
    // Turns in which the draft was there, but not complete.
    const sizes = new Set<number>();
    let isCounting = true;
    const count = () => {
      const draft = statSync(`${file}.tmp`, { throwIfNoEntry: false });
      if (draft) sizes.add(draft.size);
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    await memoryFile(file, () => memories).save();
    isCounting = false;
    expect(sizes.size).toBeGreaterThanOrEqual(10);
    expect(await readMemories(file)).toEqual(memories);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
