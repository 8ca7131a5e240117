import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { examples } from '../command.ts';
import { folderWith, intake } from './stage.ts';

const passing = `
tests:
  - name: Ada has a broken device
    steps:
      - asks: [customer_name]
      - person: Ada
        collected: { customer_name: Ada }
      - person: 4711-B
      - person: technical
        state: technical-support
  - name: it goes to <issue>
    steps:
      - person: Ada
      - person: 4711-B
      - person: <issue>
        state: <state>
    examples:
      - { issue: billing, state: billing-support }
      - { issue: general, state: general-support }
`;

const failing = `
tests:
  - name: Ada is Bob
    steps:
      - said: /wrong/
        state: greeting
      - person: Ada
        state: nowhere
        collected:
          customer_name: Bob
`;

test('tests of a folder are found and run, each row of examples as a test of its own', async () => {
  const { test: run } = await folderWith({
    'intake.plan.json': intake,
    'intake.test.yaml': passing,
  });
  const { code, stdout, stderr } = await run();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.replaceAll(/ \d+ ms| [\d.]+ s\./g, '')).toBe(
    [
      'intake.test.yaml',
      '  ✓ Ada has a broken device',
      '  ✓ it goes to <issue> (billing, billing-support)'.replace(
        '<issue> (billing, billing-support)',
        'billing',
      ),
      '  ✓ it goes to general',
      '',
      '✓ 3 tests passed, 1 file,',
      '',
    ].join('\n'),
  );
});

test('all expectations of the first failing step are told, with what was found and where they stand', async () => {
  const { test: run } = await folderWith({
    'intake.plan.json': intake,
    'intake.test.yaml': failing,
  });
  const { code, stdout } = await run('--json');
  expect(code).toBe(1);
  const { files, passed, failed } = JSON.parse(stdout);
  expect({ passed, failed }).toEqual({ passed: 0, failed: 1 });
  const [{ failures }] = files[0].tests;
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatchObject({ line: 5, column: 15, expected: '/wrong/' });
  expect(failures[0].message).toMatch(/^Nothing that was said has \/wrong\/\. Said: "Welcome!/);
});

test('a file with mistakes is none that has passed', async () => {
  const { test: run } = await folderWith({
    'intake.plan.json': intake,
    'intake.test.yaml': passing,
    'other.test.yaml':
      'definition: intake.plan.json\ntests: [{ name: a, steps: [{ over: true }] }]',
  });
  const { code, stdout } = await run();
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /✗ 3 tests passed, 2 files \(1 with mistakes, so not run\), [\d.]+ s\.\n$/,
  );
});

test('--update writes what was found, and keeps comments and patterns', async () => {
  const text = failing.replace('said: /wrong/\n        ', '# The first state.\n        ');
  const { test: run, read } = await folderWith({
    'intake.plan.json': intake,
    'intake.test.yaml': text,
  });
  await run('--update');
  const updated = await read('intake.test.yaml');
  expect(updated).toContain('state: customer-intake');
  expect(updated).toContain('# The first state.');
  await run('--update');
  expect(await run()).toMatchObject({ code: 0 });
  expect(await read('intake.test.yaml')).toContain('{"customer_name":"Ada"}');
});

test('JUnit and GitHub get the failures with their places', async () => {
  const { test: run } = await folderWith({
    'intake.plan.json': intake,
    'intake.test.yaml': failing,
  });
  const { stdout: junit } = await run('--junit');
  expect(junit).toContain('<testsuite name="intake.test.yaml" tests="1" failures="1"');
  expect(junit).toContain('intake.test.yaml:5:15');
  const { stdout: github } = await run('--github');
  expect(github).toMatch(/^::error .*file=intake\.test\.yaml,line=5,/);
});

test('--only runs tests by name, and refuses a name that no test has', async () => {
  const { test: run } = await folderWith({
    'intake.plan.json': intake,
    'intake.test.yaml': passing,
  });
  const { stdout } = await run('--only', 'broken');
  expect(stdout).toContain('✓ 1 test passed');
  const none = await run('--only', 'Zoe');
  expect(none).toMatchObject({ code: 2, stdout: expect.any(String) });
  expect(none.stderr).toContain('No test has "Zoe" in its name.');
});

test('the coverage names what no test reaches, and --min fails below it', async () => {
  const { test: run, read } = await folderWith({
    'intake.plan.json': intake,
    'intake.test.yaml': passing,
  });
  const { code, stdout, stderr } = await run('--coverage', '--min', '99', '--lcov', 'lcov.info');
  expect(code).toBe(1);
  expect(stdout).toMatch(/state not reached: Farewell intake\.plan\.json:\d+:\d+/);
  expect(stdout).toMatch(/condition never evaluated: Farewell/);
  expect(stderr).toMatch(/^error: The tests reach \d+ % of intake\.plan\.json, less than 99 %\.$/m);
  const lcov = await read('lcov.info');
  expect(lcov).toMatch(/^TN:\nSF:intake\.plan\.json\nBRDA:/);
  expect(lcov.match(/^BRDA:/gm)).toHaveLength(Number(/^BRF:(\d+)$/m.exec(lcov)![1]));
});

test('every format is tested by the same command: the examples of the documentation pass', async ({
  skip,
}) => {
  skip(!runsAll);
  const { folder, test: run } = await folderWith({});
  await cp(examples, folder, { recursive: true });
  const { code, stdout, stderr } = await run('--json', '--coverage');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { files, coverage } = JSON.parse(stdout);
  expect(files).toHaveLength(8);
  const percents = coverage.map(({ percent }: { percent: number }) => percent);
  expect(percents).toHaveLength(8);
  expect(Math.min(...percents)).toBeGreaterThan(60);
});

test.each([
  ['a file that is no test file', ['intake.plan.json'], '"intake.plan.json" is not a test file.'],
  ['a missing file', ['inta.test.yaml'], 'There is no file "inta.test.yaml".'],
  ['a percentage that is none', ['--min', 'all'], '"all" is not a percentage.'],
])('%s is refused with the next thing to do', async (_, args, sentence) => {
  const { test: run } = await folderWith({
    'intake.plan.json': intake,
    'intake.test.yaml': passing,
  });
  const { code, stderr } = await run(...args);
  expect(code).toBe(2);
  expect(stderr).toContain(sentence);
  expect(stderr).toContain('hint: ');
});

test('a test file without a definition beside it is refused', async () => {
  const { test: run } = await folderWith({ 'order.test.yaml': passing });
  const { code, stderr } = await run();
  expect(code).toBe(2);
  expect(stderr).toContain('There is no definition "order" beside order.test.yaml.');
});

test('node:test runs the tests of a file', async ({ skip }) => {
  skip(!runsAll);
  const { folder, write } = await folderWith({
    'intake.plan.json': intake,
    'intake.test.yaml': passing,
    'bad.test.yaml': `definition: intake.plan.json${failing}`,
  });
  const module = join(import.meta.dirname, '../../dist/testing.js');
  await write(
    'run.mjs',
    `import { test } from 'node:test';
     import { testsIn } from ${JSON.stringify(module)};
     for (const file of ['intake.test.yaml', 'bad.test.yaml'])
       for (const { name, run } of await testsIn(file)) test(name, run);`,
  );
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const run = promisify(execFile)(process.execPath, ['--test-reporter=tap', 'run.mjs'], {
    cwd: folder,
    env,
  });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  expect(stdout).toContain('# pass 3');
  expect(stdout).toContain('# fail 1');
  expect(stdout).toContain('bad.test.yaml:5:15 Nothing that was said has /wrong/');
});

test('a loop without an end stops the test, with the state and its place', async ({ skip }) => {
  skip(!runsAll);
  const { test: run } = await folderWith({
    'loop.asl.json': JSON.stringify(
      {
        StartAt: 'Again',
        States: {
          Again: { Type: 'Task', Agent: 'Poll', Next: 'Done?' },
          'Done?': {
            Type: 'Choice',
            Choices: [{ Variable: '$.done', BooleanEquals: true, Next: 'End' }],
            Default: 'Again',
          },
          End: { Type: 'Succeed' },
        },
      },
      undefined,
      2,
    ),
    'loop.test.yaml': `
tests:
  - name: it polls
    input: { input: { done: false } }
    steps:
      - outcome: succeeded
  - name: it is done
    input: { input: { done: true } }
    steps:
      - outcome: succeeded
`,
  });
  const { code, stdout } = await run();
  expect(code).toBe(1);
  expect(stdout).toContain(
    [
      'The step has made 2000 calls and goes on: it is in the state "Again", 4:14 of the definition.',
      '      hint: Look for a loop without an end there, or give an answer that leads out of it.',
      '      loop.test.yaml:6:9',
    ].join('\n'),
  );
  expect(stdout).toContain('✓ it is done');
});

test('an input that does not fit the definition is a failure at its place in the test file', async () => {
  const { test: run } = await folderWith({
    'intake.plan.json': intake,
    'intake.test.yaml': `
tests:
  - name: a wrong input
    input: { sesion: {} }
    steps:
      - state: greeting
`,
  });
  const { code, stdout, stderr } = await run();
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toContain('intake.test.yaml:4:12');
  expect(stdout).toContain('"sesion" is unknown.');
  expect(stdout).toContain('hint: Correct the input.');
});

test('an answer of an agent that no definition calls is a mistake of the test file', async () => {
  const task = (Agent: string, more: object) => ({ Type: 'Task', Agent, ...more });
  const { test: run } = await folderWith({
    'order.asl.json': JSON.stringify({
      StartAt: 'Price',
      States: {
        Price: task('Price', { Catch: [{ ErrorEquals: ['Busy'], Next: 'Pack' }], Next: 'Pack' }),
        Pack: task('workflow:packing', { End: true }),
      },
    }),
    'packing.asl.json': JSON.stringify({
      StartAt: 'Pack',
      States: { Pack: task('Packer', { End: true }) },
    }),
    'order.test.yaml': `agents: { Prise: 120, Packer: done }
tests:
  - name: packed
    agents: { Seller: { fails: { error: Busy } }, Price: 3 }
    steps:
      - outcome: succeeded
`,
  });
  const { code, stdout, stderr } = await run();
  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(/error test\/unknown-agent +order\.test\.yaml:1:11/);
  expect(stdout + stderr).toContain('Did you mean "Price"?');
  expect(stdout + stderr).toContain('order.test.yaml:4:15');
  expect(stdout + stderr).not.toContain('calls no agent "Packer"');
});
