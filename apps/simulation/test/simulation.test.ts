import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { breakageNames } from '../src/faults/breakages.ts';
import type { RunReport } from '../src/run.ts';
import { storeKinds } from '../src/simulate.ts';

const main = join(import.meta.dirname, '../src/main.ts');

/**
 * Simulates in a process of its own. The simulation replaces the timers of its process, and those of other tests, which share
 * this one, must neither run in simulated time nor fill it.
 */
async function simulated(options: string): Promise<RunReport> {
  const args = [main, ...options.split(' '), '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    (error: { stdout: string }) => error,
  );
  return JSON.parse(stdout) as RunReport;
}

test('no invariant is violated, whatever goes wrong', async () => {
  const report = await simulated('--seed 101 --runs 3 --days 3');
  expect(report.failure).toBeUndefined();
  expect(report.runs).toBe(3);
  expect(report.deliveries).toBeGreaterThan(20);
  expect(Object.keys(report.faults).length).toBeGreaterThan(5);
});

test('messages that wait because a clock was set back are not reported as lost', async () => {
  const report = await simulated('--seed 4 --days 3 --store memory --only clock,outage');
  expect(report.failure).toBeUndefined();
  expect(report.faults).toMatchObject({ clock: expect.any(Number), outage: expect.any(Number) });
});

test.each(storeKinds)(
  'a seed gives the same events in each process on the store %s',
  async (store) => {
    const hashOf = async (seed: number) =>
      (await simulated(`--seed ${seed} --days 2 --store ${store}`)).hash;
    const hash = await hashOf(7);
    expect(await hashOf(7)).toBe(hash);
    expect(await hashOf(8)).not.toBe(hash);
  },
);

test.each(breakageNames)(
  'the oracle finds a host that is broken on purpose: %s',
  async (breakage) => {
    const { failure } = await simulated(`--runs 20 --days 4 --break ${breakage}`);
    expect(failure?.violations).not.toEqual([]);
    expect(failure?.repeat).toContain(`--break ${breakage}`);
  },
);
