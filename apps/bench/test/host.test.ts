import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  bytesOf,
  type CountedWrite,
  countingStore,
  PlainFile,
  quantile,
  storeAt,
  storeKinds,
} from '../src/host/stores.ts';
import { idOf, populate } from '../src/host/population.ts';
import { Stage } from '../src/host/stage.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dramaturg-bench-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

test.each(storeKinds)(
  'a turn on %s is two writes that are flushed, and a receipt',
  async (kind) => {
    const writes: CountedWrite[] = [];
    const stage = await Stage.open(countingStore(storeAt({ kind, folder }, 'never'), writes));
    await stage.begin('ada');
    writes.length = 0;
    await stage.turn('ada', 1);
    expect(writes.map(({ isFlushed }) => isFlushed)).toEqual([true, true, false]);
    // Both writes contain the snapshot. The receipt only says that a message was delivered.
    expect(writes.map(({ bytes }) => bytes > 1_000)).toEqual([true, true, false]);
    await stage.stop();
  },
);

test('the plain file receives the bytes of the turn', () => {
  const writes = [
    { bytes: 300, isFlushed: true },
    { bytes: 20, isFlushed: false },
  ];
  const path = join(folder, 'plain');
  const file = new PlainFile(path);
  file.write(writes);
  expect(statSync(path).size).toBe(320);
  file.writeOnce(writes);
  file.close();
  expect(readFileSync(path, 'utf8')).toBe('x'.repeat(640));
  expect(bytesOf(writes)).toBe(320);
});

test.each(storeKinds)('copies on %s are instances that a host takes up', async (kind) => {
  const settings = { kind, folder };
  await populate(settings, { count: 12 }, () => {});
  const stage = await Stage.open(storeAt(settings, 'never'));
  const { items } = await stage.host.list();
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 12 }, (_, index) => idOf(index)));
  expect(items.every(({ dueAt }) => dueAt! > Date.now())).toBe(true);
  await stage.turn(idOf(7), 1);
  const said = await stage.host.transcript(idOf(7), { from: 0, limit: 100 });
  expect(said.filter(({ role }) => role !== 'system').map(({ role }) => role)).toEqual([
    'agent',
    'contact',
    'agent',
  ]);
  await stage.stop();
});

test('all copies with overdue timers are reminded', async () => {
  const settings = { kind: 'sqlite', folder } as const;
  await populate(settings, { count: 12, isOverdue: true }, () => {});
  const stage = await Stage.open(storeAt(settings, 'never'));
  await stage.host.settle();
  const { items } = await stage.host.list();
  expect(items).toHaveLength(12);
  expect(items.every(({ dueAt = Infinity }) => dueAt > Date.now())).toBe(true);
  await stage.stop();
});

test('a quantile is one of the measured values', () => {
  const values = [5, 1, 4, 2, 3];
  expect(quantile(values, 0.5)).toBe(3);
  expect(quantile(values, 0.99)).toBe(5);
  expect(quantile([7], 0.5)).toBe(7);
});
