import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { runsAll } from '../../../.config/scaled.ts';
import { allFaultKinds, type Breakage, breakageNames, breakages } from '../src/faults/breakages.ts';
import type { RunOptions, RunReport } from '../src/run.ts';
import { storeKinds } from '../src/simulate.ts';

const script = join(import.meta.dirname, 'simulate-each.ts');

type Simulations = Readonly<Record<string, Partial<RunOptions>>>;

/**
 * Simulates in a process of its own. The simulation replaces the timers of its process, and those of other tests, which share
 * this one, must neither run in simulated time nor fill it. One process runs all: it takes longer to start than most of them.
 */
async function simulated(simulations: Simulations): Promise<ReadonlyMap<string, RunReport>> {
  const options = JSON.stringify(Object.values(simulations));
  const { stdout } = await promisify(execFile)(process.execPath, [script, options], {
    maxBuffer: 1 << 26,
  });
  const lines = stdout.trim().split('\n');
  return new Map(Object.keys(simulations).map((name, index) => [name, JSON.parse(lines[index]!)]));
}

function ofSeed(seed: number): Simulations {
  const days = runsAll ? 1 : 0.3;
  return Object.fromEntries(
    storeKinds.map((store) => [`seed ${seed} on ${store}`, { seed, days, store }]),
  );
}

let reports: ReadonlyMap<string, RunReport>;
/** Those of the seed 7, in another process. */
let again: ReadonlyMap<string, RunReport>;

beforeAll(async () => {
  const broken = breakageNames.map((breakage) => {
    const { shownBy: kinds = allFaultKinds }: Breakage = breakages[breakage];
    return [breakage, { seed: 4, runs: 20, days: 1, breakage, kinds }] as const;
  });
  reports = await simulated({
    sound: { seed: 101, runs: runsAll ? 3 : 1, days: 3 },
    'set back': { seed: 4, days: 3, store: 'memory', kinds: ['clock', 'outage'] },
    ...ofSeed(7),
    ...ofSeed(8),
    ...Object.fromEntries(broken),
  });
  again = await simulated(ofSeed(7));
});

test('no invariant is violated, whatever goes wrong', () => {
  const report = reports.get('sound')!;
  expect(report.failure).toBeUndefined();
  expect(report.runs).toBe(runsAll ? 3 : 1);
  expect(report.deliveries).toBeGreaterThan(20);
  expect(Object.keys(report.faults).length).toBeGreaterThan(runsAll ? 5 : 3);
});

test('messages that wait because a clock was set back are not reported as lost', () => {
  const report = reports.get('set back')!;
  expect(report.failure).toBeUndefined();
  expect(report.faults).toMatchObject({ clock: expect.any(Number), outage: expect.any(Number) });
});

test.each(storeKinds)('a seed gives the same events in each process on the store %s', (store) => {
  const hashOf = ({ hash }: RunReport) => hash;
  const first = hashOf(reports.get(`seed 7 on ${store}`)!);
  expect(hashOf(again.get(`seed 7 on ${store}`)!)).toBe(first);
  expect(hashOf(reports.get(`seed 8 on ${store}`)!)).not.toBe(first);
});

test.each(breakageNames)('the oracle finds a host that is broken on purpose: %s', (breakage) => {
  const { failure } = reports.get(breakage)!;
  expect(failure?.violations).not.toEqual([]);
  expect(failure?.repeat).toContain(`--break ${breakage}`);
});
