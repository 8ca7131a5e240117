import { type Clock, createHost, manualClock, memoryStore, realClock } from '@dramaturg/host';
import { HostStage, until } from '@dramaturg/testing';
import { expect, onTestFinished, test } from 'vitest';
import { lifecycles } from './lifecycles.ts';

/** Twelve waiting conversations on a host that keeps two instances active. */
async function crowd(heartbeat?: object, clock: Clock = realClock()): Promise<HostStage> {
  const store = memoryStore();
  const stage = new HostStage(
    { open: (options) => createHost({ ...options, store, clock, maxActive: 2 }) },
    lifecycles,
  );
  await stage.open();
  onTestFinished(() => stage.host.stop({ within: 0 }));
  for (let index = 0; index < 12; index += 1)
    await stage.greeted(`i${index}`, `c${index}`, heartbeat);
  return stage;
}

test('idle instances beyond the limit are evicted', async () => {
  const stage = await crowd();
  expect(stage.host.activeCount).toBe(2);
  expect((await stage.host.list()).items).toHaveLength(12);
});

test('a message loads an evicted instance', async () => {
  const stage = await crowd();
  await stage.host.receive({ contact: 'c0', text: 'Hi.' });
  await stage.agent.answer('Hello again.');
  await stage.reaches('i0', 'WAITING_FOR_REPLY');
  await until(() => stage.host.activeCount <= 2, 'somebody to be put away');
  expect(await stage.said('i0')).toEqual([
    'agent: Hello from i0.',
    'contact: Hi.',
    'agent: Hello again.',
  ]);
});

test('a timer loads an evicted instance', async () => {
  const clock = manualClock({ startAt: Date.UTC(2026, 0, 1) });
  const stage = await crowd({ interval_ms: 60_000, max_followups: 1 }, clock);
  clock.set(clock.now() + 60_000);
  for (let index = 0; index < 12; index += 1) await stage.agent.answer('Are you there?');
  for (let index = 0; index < 12; index += 1)
    await until(async () => (await stage.said(`i${index}`)).length === 2, 'to be reminded');
  clock.set(clock.now() + 60_000);
  for (let index = 0; index < 12; index += 1) await stage.reaches(`i${index}`, 'ABANDONED');
  await until(() => stage.host.activeCount === 0, 'all to be put away');
  expect(stage.channel.taken).toHaveLength(24);
});

test('a command loads an evicted instance', async () => {
  const stage = await crowd();
  expect(await stage.host.pause('i3')).toMatchObject({ accepted: true, state: 'PAUSED' });
  expect(await stage.host.cancel('i4')).toMatchObject({ accepted: true, state: 'FAILED' });
  await until(() => stage.host.activeCount <= 2, 'somebody to be put away');
});

test('an instance with a running call is not evicted', async () => {
  const stage = await crowd();
  for (let index = 0; index < 5; index += 1)
    await stage.host.receive({ contact: `c${index}`, text: 'Hi.' });
  await until(() => stage.agent.open.length === 5, 'five calls');
  expect(stage.host.activeCount).toBeGreaterThanOrEqual(5);
  for (let index = 0; index < 5; index += 1) await stage.agent.answer('Hello.');
  await until(() => stage.host.activeCount <= 2, 'them to be put away');
});
