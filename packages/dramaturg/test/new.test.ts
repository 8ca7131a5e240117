import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kindRows, kinds } from 'create-dramaturg';
import { describe, expect, test } from 'vitest';
import { check } from '../src/compile.ts';
import { editorSchemas } from '../src/cli/commands/schema.ts';
import { dramaturg, folderWith } from './command.ts';

/** What a person may say or do first in each, so that `run` has work. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  plan: ['Ada\ninspection\n'],
  workflow: ['', '--input', '{ "amount": 20 }'],
  npc: ['I am the doctor\n'],
  graph: ['The screen stays dark\n'],
};

describe.each(kinds)('dramaturg new %s', (kind) => {
  const { suffix, defaultName } = kindRows[kind];

  test('writes a definition that has no findings, and tests that pass', async () => {
    const cwd = await folderWith({});
    const { code, stdout } = await dramaturg(['new', kind, '--json'], { cwd });
    const files = { definition: `${defaultName}${suffix}`, test: `${defaultName}.test.yaml` };
    expect({ code, files: JSON.parse(stdout) as object }).toEqual({ code: 0, files });
    const text = readFileSync(join(cwd, files.definition), 'utf8');
    expect(check(text, { fileName: files.definition }).diagnostics).toEqual([]);
    const tests = JSON.parse((await dramaturg(['test', '--json'], { cwd })).stdout) as {
      readonly passed: number;
      readonly failed: number;
    };
    expect(tests).toMatchObject({ failed: 0 });
    expect(tests.passed).toBeGreaterThan(1);
  });

  test('explains itself in comments, and names its schema', async () => {
    const cwd = await folderWith({});
    await dramaturg(['new', kind, 'mine'], { cwd });
    const lines = readFileSync(join(cwd, `mine${suffix}`), 'utf8').split('\n');
    const schema = /schemas\/(.+)\.schema\.json$/.exec(lines[0]!)?.[1];
    const format = editorSchemas.find(({ name }) => name === schema);
    expect(format?.fileMatch).toContain(`*${suffix}`);
    expect(lines.filter((line) => /^\s*#/.test(line)).length).toBeGreaterThan(8);
    expect(lines.join('\n')).not.toContain('__');
  });

  test.skipIf(kind === 'lifecycle')('runs', async () => {
    const cwd = await folderWith({});
    await dramaturg(['new', kind, 'mine'], { cwd });
    const [input = '', ...options] = inputs[kind]!;
    const { code, stderr } = await dramaturg(['run', `mine${suffix}`, ...options], { cwd, input });
    expect({ code, stderr: stderr.includes('error') }).toEqual({ code: 0, stderr: false });
  });
});

test.each([
  [['plam'], 'There is no kind "plam".', 'Did you mean "plan"?'],
  [['plan', '../x'], '"../x" cannot be a name.', 'Use letters'],
  [['plan', 'a b'], '"a b" cannot be a name.', 'Use letters'],
  [['plan', 'a', '--folder', 'notes.txt'], '"notes.txt" is not a folder.', 'Name a folder'],
  [[], 'Missing required argument', 'Run "dramaturg new --help"'],
])('dramaturg new %j is refused, and nothing is written', async (args, error, hint) => {
  const cwd = await folderWith({ 'notes.txt': 'mine' });
  const result = await dramaturg(['new', ...args], { cwd });
  expect(result.code).toBe(2);
  expect(result.stderr).toContain(`error: ${error}`);
  expect(result.stderr).toContain(`hint: ${hint}`);
  expect(readdirSync(cwd)).toEqual(['notes.txt']);
});

test.each(['intake.plan.yaml', 'intake.test.yaml'])('%s is never overwritten', async (existing) => {
  const cwd = await folderWith({});
  writeFileSync(join(cwd, existing), 'mine');
  const { code, stderr } = await dramaturg(['new', 'plan', 'intake'], { cwd });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `error: "${existing}" exists already.\nhint: Choose another name, or another folder with --folder.\n`,
  });
  expect(readdirSync(cwd)).toEqual([existing]);
  expect(readFileSync(join(cwd, existing), 'utf8')).toBe('mine');
});

test('a lifecycle follows the events of its table', async () => {
  const cwd = await folderWith({});
  const next = (await dramaturg(['new', 'lifecycle'], { cwd })).stdout;
  expect(next).toContain('npx dramaturg start parcels parcel.lifecycle.yaml');
  await dramaturg(['start', 'parcels', 'parcel.lifecycle.yaml', '--id', 'parcel-1'], { cwd });
  const event = '{ "type": "pack" }';
  const sent = await dramaturg(['send', 'parcels', 'parcel-1', '--event', event], { cwd });
  expect(sent).toMatchObject({ code: 0, stdout: '✓ parcel-1: PACKED\n' });
});

test('names of formats are understood', async () => {
  const cwd = await folderWith({});
  for (const name of ['conversation', 'asl', 'context-graph'])
    expect((await dramaturg(['new', name], { cwd })).code).toBe(0);
  expect(readdirSync(cwd)).toHaveLength(6);
});
