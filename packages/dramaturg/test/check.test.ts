import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dramaturg, folderWith, smallPlan } from './command.ts';

const misspelt = smallPlan({ initial_state_id: 'helo' });

test('a definition without mistakes is reported as such', async () => {
  expect(await dramaturg(['check', 'customer-intake.plan.json'])).toEqual({
    code: 0,
    stdout: '✓ customer-intake.plan.json: a conversation plan, no errors, no warnings.\n',
    stderr: '',
  });
});

test('a mistake is reported with its position and a hint', async () => {
  const cwd = await folderWith({ 'small.plan.json': misspelt });
  const { code, stdout } = await dramaturg(['check', 'small.plan.json'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain('error plan/unknown-initial-state');
  expect(stdout).toContain('small.plan.json:1:');
  expect(stdout).toContain('hint: Did you mean "hello"?');
  expect(stdout).toContain('1 error in small.plan.json');
});

test('patterns and names are checked together, each file once', async () => {
  const cwd = await folderWith({ 'a.plan.json': smallPlan(), 'b.plan.json': misspelt });
  const { code, stdout } = await dramaturg(['check', 'b.plan.json', '*.plan.json'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain('✗ 2 files: 1 error, no warnings.');
});

test('a folder and a pattern pass over files without a definition', async () => {
  const cwd = await folderWith({
    'a.plan.json': smallPlan(),
    'a.test.yaml': 'tests: [{ name: one, steps: [{ state: hello }] }]',
    'package.json': '{ "name": "mine" }',
    'network.tf': 'resource "aws_vpc" "main" {}',
  });
  expect(await dramaturg(['check', '.'], { cwd })).toEqual({
    code: 0,
    stdout:
      '✓ a.plan.json: a conversation plan, no errors, no warnings.\n3 files without a definition passed over.\n',
    stderr: '',
  });
  expect(await dramaturg(['check', '**/*.tf'], { cwd })).toMatchObject({
    code: 0,
    stdout: '1 file without a definition passed over.\n',
  });
  expect((await dramaturg(['check', 'package.json'], { cwd })).code).toBe(1);
});

test('folders and patterns pass over node_modules and hidden folders, but a file that is named is checked', async () => {
  const passedOver = ['node_modules/a/b.plan.json', 'flows/node_modules/c.plan.json'];
  passedOver.push('.cache/d.plan.json', 'flows/.old/e.plan.json');
  const cwd = await folderWith({
    'a.plan.json': smallPlan(),
    'flows/b.plan.json': smallPlan(),
    'node_modules.plan.json': smallPlan(),
    ...Object.fromEntries(passedOver.map((file) => [file, misspelt])),
  });
  const filesIn = async (...given: string[]) => {
    const { stdout } = await dramaturg(['check', '--json', ...given], { cwd });
    const { files } = JSON.parse(stdout) as {
      readonly files: readonly { readonly file: string }[];
    };
    return files.map(({ file }) => file.replaceAll('\\', '/').replace(/^\.\//, '')).toSorted();
  };
  const own = ['a.plan.json', 'flows/b.plan.json', 'node_modules.plan.json'];
  for (const given of ['.', './', cwd, '**/*.json'])
    expect((await filesIn(given)).map((file) => file.split(`${cwd}/`).at(-1))).toEqual(own);
  for (const given of ['flows', 'flows/', 'flows/**/*.json'])
    expect(await filesIn(given)).toEqual(['flows/b.plan.json']);
  expect(await filesIn(...passedOver)).toEqual(passedOver.toSorted());
  expect(await filesIn('.', passedOver[0]!)).toEqual([...own, passedOver[0]!].toSorted());
});

test('a test file and a mock file are checked when they are named', async () => {
  const cwd = await folderWith({
    'a.plan.json': smallPlan(),
    'a.test.yaml': 'tests: [{ name: one, steps: [{ state: hello }] }]',
    'b.test.yaml': 'tests: [{ name: one, steps: [{ state: hello }], colour: red }]',
    'MockConfigFile.json': '{ "StateMachines": {}, "MockedResponses": { "A": { "0-x": {} } } }',
  });
  expect((await dramaturg(['check', 'a.test.yaml'], { cwd })).code).toBe(0);
  const { code, stdout } = await dramaturg(['check', 'b.test.yaml', 'MockConfigFile.json'], {
    cwd,
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/test\/unknown-field +b\.test\.yaml:1:49/);
  expect(stdout).toMatch(/test\/bad-mock +MockConfigFile\.json:1:/);
});

test('the name of a file wins over the same text as a pattern', async () => {
  const cwd = await folderWith({ '[draft].json': smallPlan() });
  expect((await dramaturg(['check', '[draft].json'], { cwd })).code).toBe(0);
});

test('standard input is read as "-"', async () => {
  const { code, stdout } = await dramaturg(['check', '-'], { input: misspelt });
  expect(code).toBe(1);
  expect(stdout).toContain('<standard input>:1:');
});

test('--json is one object with the counts', async () => {
  const { code, stdout } = await dramaturg(['check', '-', '--json'], { input: misspelt });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    files: [
      {
        file: '-',
        format: 'plan',
        diagnostics: [{ code: 'plan/unknown-initial-state', path: ['initial_state_id'] }],
      },
    ],
    errors: 1,
    warnings: 0,
  });
});

test('--github prints annotations', async () => {
  const cwd = await folderWith({ 'small.plan.json': misspelt });
  const { stdout } = await dramaturg(['check', 'small.plan.json', '--github'], { cwd });
  expect(stdout).toMatch(/^::error file=small\.plan\.json,line=1,/);
});

test('notes are shown with --verbose only, and --quiet prints nothing for a file without mistakes', async () => {
  const file = 'customer-intake.plan.json';
  expect((await dramaturg(['check', file, '--verbose'])).stdout).toContain(
    'info plan/shared-deliverable',
  );
  expect((await dramaturg(['check', file, '--quiet'])).stdout).toBe('');
});

test('an option of the format is passed on', async () => {
  const { code } = await dramaturg(
    ['check', '-', '--option', 'completion=all', '--option', 'idleTurnLimit=3'],
    {
      input: smallPlan(),
    },
  );
  expect(code).toBe(0);
});

test('colours are printed on terminals and with FORCE_COLOR', async () => {
  const plain = await dramaturg(['check', '-'], { input: misspelt });
  const coloured = await dramaturg(['check', '-'], { input: misspelt, env: { FORCE_COLOR: '1' } });
  expect(plain.stdout).not.toContain('\u001B');
  expect(coloured.stdout).toContain('\u001B[');
});

describe('a wrong call prints a sentence and a hint, and exits with 2', () => {
  test.for([
    [['check'], "error: Missing required argument 'files'.", '--help'],
    [
      ['check', 'custmer-intake.plan.json'],
      'error: There is no file "custmer-intake.plan.json".',
      'Did you mean "customer-intake.plan.json"?',
    ],
    [
      ['check', 'nothing/**/*.json'],
      'error: No file matches "nothing/**/*.json".',
      'current folder',
    ],
    [['check', '-', '--jsno'], "error: Unknown option '--jsno'.", 'Did you mean --json?'],
    [
      ['check', '-', '--json', '--github'],
      "error: Option '--json' cannot be used with option '--github'.",
      '--help',
    ],
    [['check', '-', '--format', 'pln'], 'error: There is no format "pln".', '"plan"'],
    [
      ['check', '-', '--option', 'completion'],
      'error: The option "completion" has no value.',
      '--option completion=all',
    ],
    [
      ['check', '-', '--option', 'complete=all'],
      'error: The format "plan" has no option "complete".',
      'plan',
    ],
    [
      ['check', '-', '--option', '__proto__=1'],
      'error: The format "plan" has no option "__proto__".',
      'plan',
    ],
  ] as const)('%s', async ([args, error, hint]) => {
    const { code, stdout, stderr } = await dramaturg(args, { input: smallPlan() });
    expect(code).toBe(2);
    const isJson = (args as readonly string[]).includes('--json');
    expect(stdout).toMatch(isJson ? /"code":"command\/wrong-call"/ : /^$/);
    expect(stderr).toContain(error);
    expect(stderr).toMatch(/^hint: /m);
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });
});

test('a file that is not UTF-8 is refused', async () => {
  const cwd = await folderWith({ 'image.json': new Uint8Array([0x89, 0x50, 0xff, 0xfe]) });
  const { code, stderr } = await dramaturg(['check', 'image.json'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('"image.json" is not UTF-8 text.');
});

test('a file of more than 50 MB is refused before it is read', async () => {
  const cwd = await folderWith({ 'large.json': new Uint8Array(50_000_001) });
  const { code, stderr } = await dramaturg(['check', 'large.json'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('"large.json" is larger than 50 MB.');
});

test('names of files reach the terminal without their escape sequences', async () => {
  const { stderr } = await dramaturg(['check', join('no', '\u001B[2Jfile.json')]);
  expect(stderr).toContain('␛[2Jfile.json');
  expect(stderr).not.toContain('\u001B');
});
