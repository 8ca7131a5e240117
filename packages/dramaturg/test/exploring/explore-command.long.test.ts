import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dramaturg, examples } from '../command.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dramaturg-explore-'));
  await cp(examples, folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true }));

/** A search ends at its moves, and not at a time: the machine may have much else to do. */
const run = (command: string, ...args: readonly string[]) => {
  const bounds = command === 'explore' ? ['--seconds', '3600'] : [];
  return dramaturg([command, ...args, ...bounds], { cwd: folder });
};

const examplesExplored = [
  ['customer-intake.plan.json', 100],
  ['order.asl.json', 100],
  ['refund.asl.json', 100],
  ['report.asl.json', 100],
  ['parcel.lifecycle.json', 100],
  ['check-in.context-graph.yaml', 94],
] as const;

test.each(examplesExplored)(
  'generated tests of %s pass, and reach %i percent of it',
  async (definition, percent) => {
    const file = `${definition}.test.yaml`;
    const explored = await run('explore', definition, '--out', file);
    expect({ code: explored.code, stderr: explored.stderr }).toEqual({ code: 0, stderr: '' });
    const tested = await run('test', file, '--min', `${percent}`);
    expect({ code: tested.code, stdout: tested.stdout, stderr: tested.stderr }).toMatchObject({
      code: 0,
      stderr: '',
    });
  },
);

test('a conversation is written in the words of a person, with what is collected and asked', async () => {
  await run('explore', 'customer-intake.plan.json', '--out', 'words.test.yaml');
  const text = await readFile(join(folder, 'words.test.yaml'), 'utf8');
  expect(text).toContain(`
      - person: "4711"
        state: customer-intake
        collected: { account_number: "4711" }
        asks: [issue_type]`);
});

test('what cannot be reached is said with its place and the reason', async () => {
  const plan = {
    id: 'deaf',
    title: 'Deaf',
    states: [
      {
        id: 'ask',
        title: 'Ask',
        type: 'loose',
        tasks: [
          {
            id: 'kind',
            description: 'Kind',
            deliverables: [
              { key: 'kind', type: 'enum', enum_values: ['a', 'b'], description: 'Which?' },
            ],
          },
        ],
        transitions: [
          {
            target_state_id: 'a',
            condition_type: 'deliverable_value',
            condition_config: { key: 'kind', value: 'c' },
          },
          { target_state_id: 'b', condition_type: 'all_tasks_complete' },
        ],
      },
      { id: 'a', title: 'A', type: 'loose', tasks: [] },
      { id: 'b', title: 'B', type: 'loose', tasks: [] },
    ],
  };
  await writeFile(join(folder, 'deaf.plan.json'), JSON.stringify(plan));
  const { stdout } = await run('explore', 'deaf.plan.json', '--json');
  const { units, complete } = JSON.parse(stdout) as {
    complete: boolean;
    units: { label: string; kind: string; reached: boolean; reason?: string; code?: string }[];
  };
  const unreached = units.filter(({ reached }) => !reached);
  expect(complete).toBe(true);
  expect(unreached.map(({ kind, label }) => `${kind} ${label}`)).toEqual([
    'transition Ask: 1: kind = c',
    'state A',
    'transition A: all tasks complete',
    'condition A: all tasks complete',
  ]);
  expect(unreached[0]).toMatchObject({ code: 'plan/impossible-value' });
  expect(unreached[2]).toMatchObject({ reason: 'The state "A" is not reached.' });
});

test('the same definition and bounds give the same tests', async () => {
  const [one, other] = await Promise.all([
    run('explore', 'order.asl.json', '--json'),
    run('explore', 'order.asl.json', '--json'),
  ]);
  expect(one.stdout).toBe(other.stdout);
});

test('a bound that is too low is said, and what lies behind it is not called unreachable', async () => {
  const { stdout } = await run('explore', 'customer-intake.plan.json', '--max-steps', '3');
  expect(stdout).toContain('3 moves: ended at the bound of 3 moves.');
  expect(stdout).toContain('The search has ended at its bound: a higher one may reach it.');
});

test('seeded mistakes are found by the tests, and tests are added for those that are not', async () => {
  const { stdout, stderr, code } = await run(
    'explore',
    'parcel.lifecycle.json',
    '--mutate',
    '12',
    '--json',
  );
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  const { mistakes } = JSON.parse(stdout) as {
    mistakes: { percent: number; found: number; mutants: { fate: string; test?: string }[] };
  };
  expect(mistakes).toMatchObject({ percent: 100, found: 12, missed: 0 });
  expect(mistakes.mutants[0]).toMatchObject({ fate: 'found', test: expect.any(String) as string });
});

test('a mistake that no test for coverage finds gets a test of its own, which passes', async () => {
  const refund = { Type: 'Task', Agent: 'Refund', ResultPath: '$.receipt', Next: 'Refused' };
  const definition = {
    StartAt: 'Refund',
    States: { Refund: refund, Refused: { Type: 'Fail', Error: 'Refused' } },
  };
  await writeFile(join(folder, 'refused.asl.json'), JSON.stringify(definition));
  const mutate = ['refused.asl.json', '--mutate', '--out', 'mistakes.test.yaml'];
  const { stdout } = await run('explore', ...mutate);
  expect(stdout).toMatch(
    /\d+ of \d+ mistakes found \(\d+ %\), \d+ of them by tests that were added/,
  );
  expect(await readFile(join(folder, 'mistakes.test.yaml'), 'utf8')).toContain(
    'name: "not States.',
  );
  const tested = await run('test', 'mistakes.test.yaml');
  expect({ code: tested.code, stderr: tested.stderr }).toEqual({ code: 0, stderr: '' });
});

test('a seeded mistake in a part that was never reached is said to be unknown, and counts', async () => {
  const States = {
    Way: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $sum($states.input.parts) > 4000 %}', Next: 'Large' }],
      Default: 'Small',
    },
    Large: { Type: 'Wait', Seconds: 60, Next: 'Small' },
    Small: { Type: 'Succeed' },
  };
  const definition = { QueryLanguage: 'JSONata', StartAt: 'Way', States };
  await writeFile(join(folder, 'large.asl.json'), JSON.stringify(definition));
  const mutate = ['large.asl.json', '--mutate', '100'];
  const { stdout } = await run('explore', ...mutate);
  expect(stdout).toContain(
    '  not reached, so unknown: States.Large.Seconds: "Seconds" is 61 instead of 60\n',
  );
  const { stdout: json } = await run('explore', ...mutate, '--json');
  const { mistakes } = JSON.parse(json) as { mistakes: { percent: number; mutants: object[] } };
  expect(mistakes.percent).toBeLessThan(100);
  expect(mistakes.mutants).toContainEqual({
    path: ['States', 'Large', 'Seconds'],
    line: 1,
    change: '"Seconds" is 61 instead of 60',
    fate: 'unknown',
    unreached: true,
  });
});

test('several definitions have a sum, and one with errors does not end the others', async () => {
  const files = ['parcel.lifecycle.json', 'order.asl.json', 'broken.plan.json'];
  await writeFile(join(folder, 'broken.plan.json'), '{"states": [');
  const { stdout, stderr, code } = await run('explore', ...files, '--mutate', '4');
  expect(code).toBe(1);
  expect(stderr).toContain('broken.plan.json:1:12');
  expect(stdout).toMatch(
    /\n2 definitions: \d+ of \d+ reached \(\d+ %\), \d+ tests\.\n\d+ mistakes: \d+ found by tests for coverage \(\d+ %\), \d+ with tests that were added \(\d+ %\); /,
  );
  const { stdout: json } = await run('explore', files[0]!, files[1]!, '--json');
  const { definitions, total } = JSON.parse(json) as {
    readonly definitions: readonly { readonly units: readonly { readonly reached: boolean }[] }[];
    readonly total: {
      readonly definitions: number;
      readonly units: number;
      readonly reached: number;
    };
  };
  const units = definitions.flatMap((each) => each.units);
  expect(total).toMatchObject({
    definitions: 2,
    units: units.length,
    reached: units.filter(({ reached }) => reached).length,
  });
  expect(await run('explore', ...files, '--out', 'all.test.yaml')).toMatchObject({
    code: 2,
    stderr:
      'error: --out is for one definition, and these are 3.\nhint: Explore each one with a test file of its own.\n',
  });
});

test('a file that people have written is not replaced', async () => {
  const { code, stderr } = await run('explore', 'order.asl.json', '--out', 'order.test.yaml');
  expect(code).toBe(2);
  expect(stderr).toBe(
    `error: "order.test.yaml" exists, and was not generated by dramaturg explore.
hint: Choose another name with --out, or remove the file first.
`,
  );
});

test.each([
  [['explore', 'order.asl.json', '--out', 'order.yaml'], 'is not the name of a test file'],
  [['explore', 'order.asl.json', '--out', 'nowhere/x.test.yaml'], 'There is no folder "nowhere"'],
  [['explore', '-'], 'from standard input cannot be explored'],
  [['explore', 'order.asl.json', '--max-steps', '0'], 'whole number from 1'],
])('%s: %s', async (args, message) => {
  const { code, stderr } = await dramaturg(args, { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('a definition with errors is not explored', async () => {
  const { code, stderr } = await run('explore', 'with-mistakes.plan.json');
  expect(code).toBe(1);
  expect(stderr).toContain('error plan/');
});

test('called definitions are named: those that were explored with it, and those without a file', async () => {
  const caller = {
    StartAt: 'Review',
    States: {
      Review: { Type: 'Task', Agent: 'workflow:review', ResultPath: '$.review', Next: 'Talk' },
      Talk: { Type: 'Task', Agent: 'plan:nowhere', End: true },
    },
  };
  const called = {
    StartAt: 'Vote',
    States: { Vote: { Type: 'Pass', Result: { vote: 'no' }, End: true } },
  };
  await writeFile(join(folder, 'caller.asl.json'), JSON.stringify(caller));
  await writeFile(join(folder, 'review.asl.json'), JSON.stringify(called));
  const { stdout } = await run('explore', 'caller.asl.json');
  expect(stdout).toContain('It was explored with what it calls: "review".\n');
  expect(stdout).toContain(
    'Calls of "nowhere" are answered as by an agent: no such file is beside it.\n',
  );
});
