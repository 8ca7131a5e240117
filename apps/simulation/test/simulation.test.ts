import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Breakage, breakages, breakageNames } from '../src/faults/breakages.ts';
import { allFaultKinds } from '../src/faults/fault-kinds.ts';
import { run } from '../src/run.ts';
import { simulate, storeKinds } from '../src/simulate.ts';

const bounds = { untilMs: Infinity, isTwice: false, shrinks: false, kinds: allFaultKinds };

test('no invariant is violated, whatever goes wrong', async () => {
  const report = await run({ ...bounds, seed: 101, runs: 3, days: 3 });
  expect(report.failure).toBeUndefined();
  expect(report.runs).toBe(3);
  expect(report.deliveries).toBeGreaterThan(20);
  expect(Object.keys(report.faults).length).toBeGreaterThan(5);
});

test('messages that wait because a clock was set back are not reported as lost', async () => {
  const kinds = ['clock', 'outage'] as const;
  const report = await run({ ...bounds, kinds, store: 'memory', seed: 4, runs: 1, days: 3 });
  expect(report.failure).toBeUndefined();
  expect(report.faults).toMatchObject({ clock: expect.any(Number), outage: expect.any(Number) });
});

test.each(storeKinds)(
  'a seed gives the same events in another process on the store %s',
  async (store) => {
    const options = { days: 2, store, kinds: allFaultKinds };
    const { hash } = await simulate({ ...options, seed: 7 });
    const main = join(import.meta.dirname, '../src/main.ts');
    const args = [main, '--seed', '7', '--days', '2', '--store', store, '--json'];
    const output = execFileSync(process.execPath, args, { encoding: 'utf8' });
    expect((JSON.parse(output) as { hash: string }).hash).toBe(hash);
    expect((await simulate({ ...options, seed: 8 })).hash).not.toBe(hash);
  },
);

test.each(breakageNames)(
  'the oracle finds a host that is broken on purpose: %s',
  async (breakage) => {
    const { shownBy: kinds = allFaultKinds }: Breakage = breakages[breakage];
    const { failure } = await run({ ...bounds, seed: 1, runs: 20, days: 4, kinds, breakage });
    expect(failure?.violations).not.toEqual([]);
    expect(failure?.repeat).toContain(`--break ${breakage}`);
  },
);
