import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dramaturg, folderWith, smallPlan } from './command.ts';

test('the machine is a chart in JSON', async () => {
  const { code, stdout, stderr } = await dramaturg(['compile', 'customer-intake.plan.json']);
  expect(code).toBe(0);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toMatchObject({
    chart: 1,
    format: 'plan',
    id: 'customer-intake-and-support',
  });
});

test('a diagram is Mermaid', async () => {
  const { code, stdout } = await dramaturg([
    'compile',
    'customer-intake.plan.json',
    '--to',
    'mermaid',
  ]);
  expect(code).toBe(0);
  expect(stdout).toContain('stateDiagram-v2');
});

test('a picture is SVG that needs nothing else, in the file or as a field', async () => {
  const cwd = await folderWith({ 'small.plan.json': smallPlan() });
  const drawn = await dramaturg(['compile', 'small.plan.json', '--to', 'svg', '-o', 'small.svg'], {
    cwd,
  });
  expect(drawn).toMatchObject({ code: 0, stdout: '' });
  const svg = await readFile(join(cwd, 'small.svg'), 'utf8');
  expect(svg).toMatch(/^<svg xmlns=[^>]*>[\s\S]*<\/svg>\n$/u);
  expect(svg.match(/(?:https?:|url\(|@import|<script|<image)[^\s"]*/gu)).toEqual([
    'http://www.w3.org/2000/svg',
  ]);
  const { stdout } = await dramaturg(['compile', 'small.plan.json', '--to', 'svg', '--json'], {
    cwd,
  });
  expect(JSON.parse(stdout)).toEqual({ svg });
  const full = await dramaturg(['compile', 'small.plan.json', '--to', 'svg', '--full'], { cwd });
  expect(full.stdout.length).toBeGreaterThan(svg.length * 1.5);
});

test('for Stately it is JSON', async () => {
  const { code, stdout } = await dramaturg(['compile', '-', '--to', 'stately'], {
    input: smallPlan(),
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: 'small' });
});

test('-o writes a file and nothing else', async () => {
  const cwd = await folderWith({ 'small.plan.json': smallPlan() });
  const { code, stdout, stderr } = await dramaturg(
    ['compile', 'small.plan.json', '-o', 'machine.json'],
    { cwd },
  );
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: '',
    stderr: 'Wrote machine.json.\n',
  });
  expect(JSON.parse(await readFile(join(cwd, 'machine.json'), 'utf8'))).toMatchObject({
    id: 'small',
  });
});

test('a definition with errors has no output', async () => {
  const cwd = await folderWith({ 'small.plan.json': smallPlan({ states: [] }) });
  const { code, stdout, stderr } = await dramaturg(
    ['compile', 'small.plan.json', '-o', 'machine.json'],
    { cwd },
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('error plan/no-states');
  await expect(readFile(join(cwd, 'machine.json'))).rejects.toThrow('ENOENT');
});

describe('a wrong call prints a sentence and a hint, and exits with 2', () => {
  test.for([
    [['compile'], "error: Missing required argument 'file'."],
    [['compile', 'small.plan.json', 'other.plan.json'], 'error: Too many arguments'],
    [
      ['compile', 'small.plan.json', '--to', 'pdf'],
      "argument 'pdf' is invalid. Allowed choices are machine, mermaid, svg, stately.",
    ],
    [
      ['compile', 'small.plan.json', '-o', './small.plan.json'],
      'error: "./small.plan.json" is the definition itself',
    ],
    [['compile', 'small.plan.json', '-o', '.'], 'error: "." is a folder.'],
    [
      ['compile', 'small.plan.json', '-o', 'no/such/machine.json'],
      'error: There is no folder "no/such".',
    ],
  ] as const)('%s', async ([args, error]) => {
    const cwd = await folderWith({ 'small.plan.json': smallPlan() });
    const { code, stdout, stderr } = await dramaturg(args, { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(error);
    expect(stderr).toMatch(/^hint: /m);
    expect(await readFile(join(cwd, 'small.plan.json'), 'utf8')).toBe(smallPlan());
  });
});

test('a picture marks what tests reach, from the results of the tests', async () => {
  const cwd = await folderWith({
    'small.plan.json': smallPlan(),
    'small.test.yaml':
      'tests: [{ name: it begins, steps: [{ asks: [] }, { person: Hello, said: /./ }] }]',
    'other.json': '{ "coverage": [] }',
  });
  const { stdout: results } = await dramaturg(['test', '--coverage', '--json'], { cwd });
  await writeFile(join(cwd, 'coverage.json'), results);
  const compiled = (...args: string[]) =>
    dramaturg(['compile', 'small.plan.json', ...args], { cwd });
  const { code, stdout } = await compiled('--to', 'svg', '--coverage', 'coverage.json');
  expect(code).toBe(0);
  expect(stdout).toContain('data-coverage="covered"');
  const refused = [
    [['--to', 'svg', '--coverage', 'other.json'], 'the coverage of other definitions: nothing'],
    [['--to', 'svg', '--coverage', 'small.plan.json'], 'has no coverage'],
    [['--to', 'mermaid', '--coverage', 'coverage.json'], 'Only a picture shows coverage'],
  ] as const;
  for (const [args, sentence] of refused) {
    const { code: status, stderr } = await compiled(...args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(sentence) });
    expect(stderr).toContain('hint: ');
  }
});
