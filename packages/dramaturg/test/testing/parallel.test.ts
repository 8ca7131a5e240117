import { expect, test } from 'vitest';
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
