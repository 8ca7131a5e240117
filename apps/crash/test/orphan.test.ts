import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chance } from '@dramaturg/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Command, FromChild, Mission } from '../src/protocol.ts';
import { definitions } from '../src/definitions.ts';
import { World } from '../src/world.ts';

test('a host ends when the program that started it is gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dramaturg-orphan-'));
  const world = new World(new Chance(1));
  const url = await world.open();
  const mission: Mission = { definitions, folder, store: 'lowdb', fsync: 'batch', world: url };
  const child = fork(new URL('../src/child.ts', import.meta.url), [mission.store], {
    execArgv: [],
  });
  child.send(mission);
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const heard = (wanted: FromChild['type']) =>
    new Promise<void>((resolve) => {
      child.on('message', ({ type }: FromChild) => type === wanted && resolve());
    });
  await heard('ready');
  const options = { id: 'job', input: { wait: 3_600_000 } };
  child.send({ number: 1, do: 'start', definition: 'job', options } satisfies Command);
  // A host that waits for a timer goes on for an hour.
  await heard('reply');
  // As when the program is killed, the channel to it closes.
  child.disconnect();
  expect(await ended).toEqual([0, null]);
});
