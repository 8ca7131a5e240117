import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installedDramaturg } from '../command.ts';
import { folderWith, intake } from './stage.ts';

const row = (number: number) => `      - { name: N${number} }`;

const many = (from: number, wrong?: number) => `
tests:
  - name: <name> is welcome
    steps:
      - person: Ada
        asks: [account_number]
    examples:
${Array.from({ length: 40 }, (_, index) => row(from + index)).join('\n')}
  - name: a last one
    steps:
      - person: Ada
        collected: { customer_name: ${wrong === undefined ? 'Ada' : 'Bob'} }
`;

// As many threads as there are processors: on one processor the tests run in the process, with the same results.
test('many tests in several files have the results, the order and the coverage of few', async () => {
  const { test: run } = await folderWith({
    'intake.plan.json': intake,
    'a.test.yaml': `definition: intake.plan.json${many(0)}`,
    'b.test.yaml': `definition: intake.plan.json${many(100, 1)}`,
  });
  const { code, stdout } = await run('--json', '--coverage');
  expect(code).toBe(1);
  const { files, passed, failed, coverage } = JSON.parse(stdout);
  expect({ passed, failed }).toEqual({ passed: 81, failed: 1 });
  const names = files.map(({ tests }: { tests: { name: string }[] }) =>
    tests.map(({ name }) => name),
  );
  const expected = (from: number) => [
    ...Array.from({ length: 40 }, (_, index) => `N${from + index} is welcome`),
    'a last one',
  ];
  expect(names).toEqual([expected(0), expected(100)]);
  const { failures, line } = files[1].tests[40];
  expect(failures).toMatchObject([{ expected: { customer_name: 'Bob' } }]);
  expect(line).toBeGreaterThan(40);
  const greeting = coverage[0].units.find(({ label }: { label: string }) => /Greeting/.test(label));
  expect(greeting.hits).toBeGreaterThanOrEqual(82);
});

test('a definition with errors beside many tests is reported once, and as without threads', async () => {
  const { test: run } = await folderWith({
    'a.plan.json': intake,
    'a.test.yaml': many(0),
    'b.plan.json': intake
      .replace('"customer_name"', '"customer name"')
      .replace('"states"', '"statez"'),
    'b.test.yaml': many(100),
  });
  const { code, stdout, stderr } = await run();
  expect(code).toBe(1);
  expect(stdout).toContain('✓ a last one');
  expect(stderr.match(/error in b\.plan\.json|errors in b\.plan\.json/g)).toHaveLength(1);
});

// On one processor, no thread is made. Each test starts a process with a thread for each processor.
describe.runIf(availableParallelism() > 1)('a thread that dies', () => {
  /** Runs many tests with code that Node loads into each thread. */
  async function runWith(code: string, nodeOptions = '') {
    const { folder } = await folderWith({
      'intake.plan.json': intake,
      'first.test.yaml': `definition: intake.plan.json${many(0)}`,
      'second.test.yaml': `definition: intake.plan.json${many(100)}`,
      'inside.cjs': `const threads = require('node:worker_threads');\nif (!threads.isMainThread) {${code}}`,
    });
    const file = join(folder, 'inside.cjs');
    const env = { NODE_OPTIONS: `${nodeOptions} --require ${JSON.stringify(file)}` };
    return installedDramaturg(['test', '--json'], { cwd: folder, env });
  }

  const ending = { code: 'test/thread-ended', hint: expect.any(String) };

  test('before it has run a test is an error that names the file', async () => {
    const { code, stdout, stderr } = await runWith('process.exit(7)');
    expect(code).toBe(3);
    const error =
      'The tests of first.test.yaml have stopped: their thread ended with the exit code 7.';
    expect(JSON.parse(stdout)).toEqual({ ...ending, error });
    expect(stderr).toContain(error);
  });

  test('at its first job, with all other threads, is an error that names the file', async () => {
    const { code, stdout } = await runWith(
      `threads.parentPort.on('message', () => process.exit(0))`,
    );
    expect(code).toBe(3);
    const error =
      'The tests of first.test.yaml have stopped: their thread ended with the exit code 0.';
    expect(JSON.parse(stdout)).toEqual({ ...ending, error });
  });

  test('of an error that nothing catches is an error with both', async () => {
    const { code, stdout } = await runWith(
      `threads.parentPort.on('message', () => { throw new Error('Out of luck'); })`,
    );
    expect(code).toBe(3);
    const error =
      'The tests of first.test.yaml have stopped: their thread failed with "Out of luck".';
    expect(JSON.parse(stdout)).toEqual({ ...ending, error });
  });

  test('of too much memory is an error that says how to have more', async () => {
    const grow = `const all = []; for (;;) all.push(new Array(10_000).fill(all.length));`;
    const { code, stdout } = await runWith(grow, '--max-old-space-size=256');
    expect(code).toBe(3);
    const failure = JSON.parse(stdout);
    expect(failure.error).toBe(
      'The tests of first.test.yaml have stopped: their thread ran out of memory.',
    );
    expect(failure.hint).toContain('--max-old-space-size');
  });
});
