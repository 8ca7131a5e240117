import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Comparison } from '../../src/simulating/compare.ts';
import { dramaturg, examples, folderWith } from '../command.ts';

const intake = 'customer-intake.plan.json';
const few = ['--personas', 'cooperative,terse,two-at-once', '--runs', '4'];

/** The plan of the examples, and one in which a technical issue goes nowhere of its own. */
async function changedIntake(): Promise<string> {
  const text = await readFile(join(examples, intake), 'utf8');
  const changed = text.replace('"expected_value": "technical"', '"expected_value": "billing"');
  expect(changed).not.toBe(text);
  return join(await folderWith({ 'changed.plan.json': changed }), 'changed.plan.json');
}

async function comparisonOf(...args: readonly string[]): Promise<Comparison> {
  const { stdout, code } = await dramaturg(['compare', ...args, '--json']);
  expect(code).toBe(0);
  return JSON.parse(stdout) as Comparison;
}

test('a simulation compared with itself has no difference', async () => {
  const folder = join(await folderWith({}), 'runs');
  await dramaturg(['simulate', intake, ...few, '--out', folder]);
  const comparison = await comparisonOf(folder, folder);
  expect(comparison).toMatchObject({ same: 12, differences: [], unpaired: [], isClear: false });
});

test('two definitions part at the transition that was changed, on the same line of the person', async () => {
  const { differences, same } = await comparisonOf(intake, await changedIntake(), ...few);
  expect(differences.length).toBeGreaterThan(0);
  expect(same + differences.length).toBe(12);
  for (const difference of differences)
    expect(difference).toMatchObject({
      state: 'customer-intake',
      a: { move: { to: 'technical-support', line: 89, column: 9 } },
      b: { move: { to: 'general-support' }, person: difference.a.person },
      cause: { kind: 'definition', turn: difference.turn },
    });
});

test('a definition is compared with a simulation under the persons, seed and bounds of that', async () => {
  const folder = join(await folderWith({}), 'runs');
  await dramaturg(['simulate', intake, ...few, '--seed', '7', '--max-turns', '3', '--out', folder]);
  const { b, same, differences } = await comparisonOf(folder, intake);
  expect(b).toMatchObject({ seed: 7, runs: 4 });
  expect({ same, differences }).toEqual({ same: 12, differences: [] });
});

test('other words of the person are the first difference, before the transition that follows', async () => {
  const { differences } = await comparisonOf(...(await runsWithSeeds([1, 2])));
  const [first] = differences;
  expect(first?.cause).toMatchObject({
    kind: 'person',
    a: expect.any(String),
    b: expect.any(String),
  });
  expect(first!.cause.turn).toBeLessThanOrEqual(first!.turn);
});

async function runsWithSeeds(seeds: readonly number[]): Promise<readonly string[]> {
  const folder = await folderWith({});
  const places = seeds.map((seed) => join(folder, `${seed}`));
  for (const [index, place] of places.entries())
    await dramaturg(['simulate', intake, ...few, '--seed', `${seeds[index]}`, '--out', place]);
  return places;
}

test('the text names places in both definitions, and the pairs', async () => {
  const changed = await changedIntake();
  const { stdout } = await dramaturg(['compare', intake, changed, ...few]);
  expect(stdout).toContain(
    'In "customer-intake", a: goes to "technical-support", b: goes to "general-support"',
  );
  expect(stdout).toContain('customer-intake.plan.json:89:9');
  expect(stdout).toContain(`${changed}:98:9`);
  expect(stdout).toContain('the definitions decide otherwise on the same messages and answers');
});

test('a folder and a file that are no simulation are refused with a sentence', async () => {
  const folder = await folderWith({ 'run.json': '{"simulation": 1}' });
  const empty = await dramaturg(['compare', examples, examples]);
  expect(empty.stderr).toContain('is not of a simulation: it has no "run.json"');
  const damaged = await dramaturg(['compare', folder, folder]);
  expect(damaged.stderr).toContain('is not the report of a simulation');
  expect([empty.code, damaged.code]).toEqual([2, 2]);
});

test('a report that was changed by hand is refused, whatever is in it', async () => {
  const folder = join(await folderWith({}), 'runs');
  await dramaturg(['simulate', intake, ...few, '--out', folder]);
  const file = join(folder, 'run.json');
  const report = JSON.parse(await readFile(file, 'utf8')) as {
    conversations: { persona: string; turns: unknown }[];
  };
  for (const change of [{ persona: '../../etc' }, { turns: [{ moves: 1 }] }, { turns: 'none' }]) {
    const [first, ...others] = report.conversations;
    const conversations = [{ ...first, ...change }, ...others];
    await writeFile(file, JSON.stringify({ ...report, conversations }));
    const { code, stderr } = await dramaturg(['compare', folder, folder]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('is not the report of a simulation'),
    });
  }
});
