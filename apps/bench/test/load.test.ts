import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { runKills } from '../src/load/kill-run.ts';
import { runLoad } from '../src/load/load-run.ts';
import { killGoals, printed } from '../src/load/report.ts';
import { ServedProcess } from '../src/load/served-process.ts';

async function started(): Promise<ServedProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'dramaturg-load-'));
  const service = await ServedProcess.started(join(folder, 'store.db'));
  onTestFinished(async () => {
    await service.kill();
    await rm(folder, { recursive: true, force: true });
  });
  return service;
}

test('contacts write to a service, and every open stream has every event once', async () => {
  const steps: string[] = [];
  const options = { contacts: 8, thinkMs: 200, seconds: 2, streams: 6, rate: 5, seed: 3 };
  const result = await runLoad(await started(), options, (step) => steps.push(step));
  expect(result).toMatchObject({ errors: {}, streams: { open: 6, complete: 1 } });
  expect(result.messages).toBeGreaterThan(8);
  expect(result.streams.events).toBeGreaterThan(0);
  expect(result.memory.length).toBeGreaterThan(0);
  expect(steps[0]).toContain('contacts write');
});

test('a service that is killed three times loses no event, and no stream has one twice', async () => {
  const options = { kills: 3, contacts: 4, thinkMs: 50, seed: 5 };
  const result = await runKills(await started(), options, () => {});
  expect(result).toMatchObject({ kills: 3, lost: 0, doubled: 0, messagesLost: 0 });
  expect(result.events).toBeGreaterThan(result.messages);
});

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
