import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { killGoals, printed } from '../src/load/report.ts';

test('a missed goal is printed', () => {
  const back = { p50: 700, p99: 900, max: 1_200 };
  const rest = { kills: 3, messages: 9, events: 99, doubled: 0, messagesLost: 0, back };
  const goals = killGoals({ ...rest, lost: 2 });
  expect(goals.filter(({ holds }) => !holds).map(({ name }) => name)).toEqual([
    'events lost',
    'the same, longest',
  ]);
  expect(printed(goals)).toMatch(/^events lost +2 {2}0: missed$/m);
});

test.each([
  [['--kills', 'many'], '--kills needs a number above 0, not "many".'],
  [['--contcts', '1'], "Unknown option '--contcts'"],
])('wrong arguments %j are refused', async (args, message) => {
  const main = join(import.meta.dirname, '../src/load/main.ts');
  const run = promisify(execFile)(process.execPath, ['--no-warnings', main, ...args]);
  await expect(run).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message) as string,
  });
});
