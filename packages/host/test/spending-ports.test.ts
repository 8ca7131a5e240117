import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { spendingPorts } from '../src/index.ts';

const call = { signal: new AbortController().signal, onText: () => {} };
const hour = 3_600_000;
const accounts = [{ workflow: 'order', within: hour }, { pool: 'team' }];

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-spending-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'new', 'spending.json');
}

function portsAt(file: string | undefined, time: { now: number }) {
  const { countSpending } = spendingPorts({
    clock: { world: { now: () => time.now, random: Math.random, uuid: () => '' } },
    pools: { team: 10 },
    ...(file !== undefined && { file }),
  });
  return async (key: string, cost: number, of: typeof accounts = accounts) => {
    const { accounts: counted } = await countSpending({ key, cost, accounts: of }, call);
    return counted;
  };
}

test('costs add up for each account, once for each key, also after a restart', async () => {
  const time = { now: 1_000_000_000_000 };
  const file = newFile();
  const before = portsAt(file, time);
  expect(await before('a', 1)).toEqual([{ cost: 1 }, { cost: 1, limit: 10 }]);
  await Promise.all([before('b', 2), before('c', 3)]);
  const after = portsAt(file, time);
  expect(await after('a', 1)).toEqual([{ cost: 6 }, { cost: 6, limit: 10 }]);
  expect(await after('d', 0, [{ workflow: 'other', within: hour }])).toEqual([{ cost: 0 }]);
});

test('a window forgets what is older, and a pool does not', async () => {
  const time = { now: 1_000_000_000_000 };
  const count = portsAt(undefined, time);
  await count('a', 1);
  time.now += hour / 2;
  await count('b', 2);
  time.now += hour / 2 + 60_000;
  expect(await count('c', 0)).toEqual([{ cost: 2 }, { cost: 3, limit: 10 }]);
});

test('a pool without a size, and a file of another kind, are refused', async () => {
  const count = portsAt(undefined, { now: 0 });
  await expect(count('a', 1, [{ pool: 'other' }] as never)).rejects.toThrow('--pool other=100');
  const file = join(newFile(), '..', '..', 'x.json');
  writeFileSync(file, '{}');
  await expect(portsAt(file, { now: 0 })('a', 1)).rejects.toThrow('is not a file of spending');
});

test('a write that has failed is tried again by the next call', async () => {
  const file = newFile();
  const time = { now: 1_000_000_000_000 };
  const count = portsAt(file, time);
  await count('read', 0);
  mkdirSync(join(file, 'in the way'), { recursive: true });
  await expect(count('a', 1)).rejects.toThrow('spending.json');
  rmSync(file, { recursive: true });
  await count('a', 1);
  expect(await portsAt(file, time)('b', 0)).toEqual([{ cost: 1 }, { cost: 1, limit: 10 }]);
});
