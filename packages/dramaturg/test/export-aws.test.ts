import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dramaturg, folderWith, smallPlan } from './command.ts';

const order = {
  StartAt: 'Price',
  States: {
    Price: { Type: 'Task', Agent: 'Price', ResultPath: '$.price', Next: 'Done' },
    Done: { Type: 'Succeed' },
  },
};

test('a workflow is written for AWS, and check finds nothing in it', async () => {
  const cwd = await folderWith({ 'order.asl.json': JSON.stringify(order) });
  const args = [
    'export',
    'order.asl.json',
    '--to',
    'aws',
    '--agents',
    'lambda',
    '-o',
    'aws.asl.json',
  ];
  expect(await dramaturg([...args, '--json'], { cwd })).toEqual({
    code: 0,
    stdout: '{"file":"aws.asl.json"}\n',
    stderr: 'Wrote aws.asl.json.\n',
  });
  const check = ['check', 'aws.asl.json', '--option', 'dialect=amazon'];
  expect(await dramaturg(check, { cwd })).toMatchObject({ code: 0 });
  const again = await dramaturg(['export', 'aws.asl.json', '--to', 'aws'], { cwd });
  expect(again).toEqual({
    code: 0,
    stderr: '',
    stdout: readFileSync(join(cwd, 'aws.asl.json'), 'utf8'),
  });
});

test('what AWS cannot run is named with its place, and nothing is written', async () => {
  const cwd = await folderWith({ 'order.asl.json': JSON.stringify(order, undefined, 2) });
  const args = ['export', 'order.asl.json', '--to', 'aws', '-o', 'aws.asl.json'];
  const plain = await dramaturg(args, { cwd });
  expect(plain).toMatchObject({ code: 1, stdout: '' });
  expect(plain.stderr).toContain('order.asl.json:6:7');
  expect(plain.stderr).toContain('Amazon cannot call the agent "Price".');
  const json = await dramaturg([...args, '--json'], { cwd });
  expect(JSON.parse(json.stdout)).toMatchObject({
    cannot: [
      {
        code: 'aws/not-available',
        file: 'order.asl.json',
        path: ['States', 'Price', 'Agent'],
        start: { line: 6, column: 7 },
        hint: 'Export agents as Lambda functions with --agents lambda.',
      },
    ],
  });
  expect(() => readFileSync(join(cwd, 'aws.asl.json'))).toThrow('ENOENT');
});

test('what only the strict check of Amazon finds is named too', async () => {
  const twice = (agent: string) => ({
    StartAt: 'Work',
    States: { Work: { Type: 'Task', Agent: agent, End: true } },
  });
  const branches = { Type: 'Parallel', Branches: [twice('A'), twice('B')], End: true };
  const cwd = await folderWith({
    'two.asl.json': JSON.stringify({ StartAt: 'Both', States: { Both: branches } }),
  });
  const args = ['export', 'two.asl.json', '--to', 'aws', '--agents', 'lambda'];
  const { code, stderr } = await dramaturg(args, { cwd });
  expect(code).toBe(1);
  expect(stderr).toContain('Two states have the name "Work".');
});

test.each([
  [['order.asl.json', '--to', 'azure'], 2, "Option '--to <target>' argument 'azure' is invalid."],
  [['order.asl.json', 'ada', '--to', 'aws'], 2, 'With --to there is one file, and no contact.'],
  [['order.asl.json'], 2, "Missing required argument 'contact'."],
  [['store', 'ada', '--agents', 'lambda'], 2, '--agents, --approvals and --leave-out are for'],
  [['small.plan.json', '--to', 'aws'], 2, 'Only a workflow can be exported to AWS.'],
  [['nothing.asl.json', '--to', 'aws'], 2, 'There is no file "nothing.asl.json".'],
  [['wrong.asl.json', '--to', 'aws'], 1, 'asl/'],
  [
    ['order.asl.json', '--to', 'aws', '-o', 'order.asl.json', '--agents', 'lambda'],
    2,
    'is the definition itself',
  ],
])('dramaturg export %j is refused', async (args, code, error) => {
  const files = {
    'order.asl.json': JSON.stringify(order),
    'small.plan.json': smallPlan(),
    'wrong.asl.json': '{ "StartAt": "A", "States": {} }',
  };
  const cwd = await folderWith(files);
  const result = await dramaturg(['export', ...args], { cwd });
  expect(result).toMatchObject({ code, stdout: '' });
  expect(result.stderr).toContain(error);
  expect(readFileSync(join(cwd, 'order.asl.json'), 'utf8')).toBe(files['order.asl.json']);
});
