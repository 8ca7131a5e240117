import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { type Breakage, breakageNames, breakages } from '../src/faults/breakages.ts';
import { allFaultKinds } from '../src/faults/fault-kinds.ts';
import type { RunOptions, RunReport } from '../src/run.ts';
import { storeKinds } from '../src/simulate.ts';

const script = join(import.meta.dirname, 'simulate-each.ts');

/**
 * Simulates in a process of its own. The simulation replaces the timers of its process, and those of other tests, which share
 * this one, must neither run in simulated time nor fill it.
 */
async function simulated(each: readonly Partial<RunOptions>[]): Promise<RunReport[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(each)], {
    maxBuffer: 1 << 26,
  });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('no invariant is violated, whatever goes wrong', async () => {
  const runs = runsAll ? 3 : 1;
  const [report] = await simulated([{ seed: 101, runs, days: 3 }]);
  expect(report!.failure).toBeUndefined();
  expect(report!.runs).toBe(runs);
  expect(report!.deliveries).toBeGreaterThan(20);
  expect(Object.keys(report!.faults).length).toBeGreaterThan(runsAll ? 5 : 3);
});

test('messages that wait because a clock was set back are not reported as lost', async () => {
  const [report] = await simulated([
    { seed: 4, days: 3, store: 'memory', kinds: ['clock', 'outage'] },
  ]);
  expect(report!.failure).toBeUndefined();
  expect(report!.faults).toMatchObject({ clock: expect.any(Number), outage: expect.any(Number) });
});

test('a seed gives the same events in each process, on each store', async () => {
  const days = runsAll ? 2 : 1;
  const ofSeed = (seed: number) => storeKinds.map((store) => ({ seed, days, store }));
  const hashesOf = async (each: readonly Partial<RunOptions>[]) =>
    (await simulated(each)).map(({ hash }) => hash);
  const [first, again] = await Promise.all([
    hashesOf([...ofSeed(7), ...ofSeed(8)]),
    hashesOf(ofSeed(7)),
  ]);
  expect(again).toEqual(first.slice(0, storeKinds.length));
  expect(new Set(first).size).toBe(first.length);
});

describe('the oracle finds a host that is broken on purpose', () => {
  let reports: RunReport[];
  beforeAll(async () => {
    const each = breakageNames.map((breakage) => {
      const { shownBy: kinds = allFaultKinds }: Breakage = breakages[breakage];
      return { runs: 20, days: 4, breakage, kinds };
    });
    reports = await simulated(each);
  }, 600_000);

  test.each([...breakageNames.entries()])('%i: %s', (index, breakage) => {
    const { failure } = reports[index]!;
    expect(failure?.violations).not.toEqual([]);
    expect(failure?.repeat).toContain(`--break ${breakage}`);
  });
});
