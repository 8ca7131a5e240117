import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runKills } from '../src/load/kill-run.ts';
import { runLoad } from '../src/load/load-run.ts';
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
  expect(result.messages).toBeGreaterThan(0);
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
