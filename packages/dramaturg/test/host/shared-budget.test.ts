import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@dramaturg/testing';
import { compile } from 'dramaturg';
import { spendingPorts } from 'dramaturg/ports';
import { expect, onTestFinished, test } from 'vitest';
import { places, Stage } from './stage.ts';

test('a limit by the day holds for all instances, and after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-shared-budget-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const text = JSON.stringify({
    Comment: 'Three a day',
    Budget: { MaxCostPerDay: 3 },
    StartAt: 'S',
    States: { S: { Type: 'Task', Agent: 'A', End: true } },
  });
  const store = places['memory']!();
  let calls = 0;
  const open = () =>
    Stage.open({
      store,
      definitions: { flow: compile(text, { format: 'asl' }) },
      ports: {
        ...spendingPorts({ file: join(folder, 'spending.json') }),
        runAgent: () => {
          calls += 1;
          return { result: 'done', usage: { cost: 1 } };
        },
      },
      channels: {},
    });
  const ends = async ({ host }: Stage, id: string) => {
    await host.start('flow', { id });
    await until(async () => (await host.get(id)).ended, 'the end');
    return (await host.get(id)).state;
  };
  let stage = await open();
  expect(await ends(stage, 'a')).toBe('COMPLETED');
  expect(await ends(stage, 'b')).toBe('COMPLETED');
  await stage.host.stop({ within: 0 });
  stage = await open();
  expect(await ends(stage, 'c')).toBe('COMPLETED');
  expect(await ends(stage, 'd')).toBe('FAILED');
  expect(calls).toBe(3);
});
