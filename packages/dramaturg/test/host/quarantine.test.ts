import { eraseFrom, manualClock } from '@dramaturg/host';
import { overriding, until } from '@dramaturg/testing';
import { beforeEach, expect, test } from 'vitest';
import { compile, createHost, type Host, memoryStore, type Store } from '../../src/index.ts';

/** Hosts that die while they decide one instance: its step never ends, and the host is dropped without a stop. */

const clock = manualClock({ startAt: 1_800_000_000_000 });
const work = compile(
  JSON.stringify({ StartAt: 'A', States: { A: { Type: 'Task', Agent: 'work', End: true } } }),
);

let shared: Store;
let isPoisonous: boolean;
/** The instances whose calls were made by the present host. */
let called: string[];
/** What the hosts have reported. */
let reports: string[];

beforeEach(async () => {
  shared = await memoryStore().open('a test');
  isPoisonous = false;
  reports = [];
});

/** Opens a host on the store of the hosts that have died. */
async function nextHost(answers = true): Promise<Host> {
  const made: string[] = [];
  called = made;
  return createHost({
    store: {
      read: async () => shared,
      open: async () =>
        overriding<Store>(shared, {
          commit: (change) =>
            change.id === 'poison' && isPoisonous && change.snapshot !== undefined
              ? new Promise(() => {})
              : shared.commit(change),
          close: async () => {},
        }),
    },
    clock,
    definitions: { work },
    ports: {
      runAgent: (_, { instance }) => {
        made.push(instance!);
        return answers ? { result: 'done' } : new Promise<never>(() => {});
      },
    },
    channels: {},
    onError: (error, doing) => void reports.push(`${doing}: ${(error as Error).message}`),
  });
}

/** Starts both, and lets three hosts die: one in the ordinary way, and two while they decide an instance. */
async function poisoned(): Promise<void> {
  const first = await nextHost(false);
  for (const id of ['poison', 'sound']) await first.start('work', { id, input: { input: {} } });
  isPoisonous = true;
  const second = await nextHost();
  await until(async () => (await second.get('sound')).ended, 'the end of the sound one');
  await until(() => called.includes('poison'), 'the decision');
  const third = await nextHost();
  await third.start('work', { id: 'later', input: { input: {} } });
  await until(async () => (await third.get('later')).ended, 'the end of the later one');
  clock.set(clock.now() + 10_000);
  await until(async () => {
    const { deciding } = (await shared.read('host:deciding'))!.snapshot as { deciding: object };
    return Object.keys(deciding).join() === 'poison';
  }, 'the decision alone');
}

test('an instance at whose decision two hosts in a row have died is set aside', async () => {
  await poisoned();
  const host = await nextHost();
  await host.settle();
  expect(called).toEqual([]);
  expect(await host.get('poison')).toMatchObject({ queue: 'setAside', ended: false });
  expect(await host.queues()).toMatchObject({ setAside: 1 });
  await expect(host.send('poison', { type: 'anything' })).rejects.toMatchObject({
    code: 'host/set-aside',
  });
  await host.start('work', { id: 'new', input: { input: {} } });
  await until(async () => (await host.get('new')).ended, 'the end of the new one');
  await host.stop();
});

test('an instance that is set aside is continued by resume', async () => {
  await poisoned();
  isPoisonous = false;
  const host = await nextHost();
  expect(await host.resume('poison')).toMatchObject({ accepted: true });
  await until(async () => (await host.get('poison')).ended, 'the end');
  expect(await host.get('poison')).toMatchObject({ state: 'COMPLETED', output: 'done' });
  expect(await host.queues()).toMatchObject({ setAside: 0 });
  await host.stop();
});

test('an instance that is set aside is ended by cancel, without a step of its flow', async () => {
  await poisoned();
  isPoisonous = false;
  const host = await nextHost();
  expect(await host.cancel('poison')).toMatchObject({ accepted: true, state: 'FAILED' });
  await host.settle();
  expect(called).toEqual([]);
  expect(await host.get('poison')).not.toHaveProperty('queue');
  await host.stop();
});

test('a suspect that waits while the host stops is left to the next host, and is no error', async () => {
  await (await nextHost(false)).start('work', { id: 'poison', input: { input: {} } });
  isPoisonous = true;
  await nextHost();
  await until(() => called.includes('poison'), 'the decision');
  isPoisonous = false;
  await (await nextHost()).stop({ within: 0 });
  expect(reports).toEqual([]);
  const last = await nextHost();
  clock.set(clock.now() + 10_000);
  await until(async () => (await last.get('poison')).ended, 'the end');
  await last.stop();
});

test('an instance that is resumed and ends another host is set aside again', async () => {
  await poisoned();
  isPoisonous = false;
  const fourth = await nextHost(false);
  await fourth.resume('poison');
  isPoisonous = true;
  void fourth.pause('poison');
  await until(async () => {
    const { deciding } = (await shared.read('host:deciding'))!.snapshot as { deciding: object };
    return Object.keys(deciding).join() === 'poison';
  }, 'the decision alone');
  const fifth = await nextHost();
  expect(await fifth.get('poison')).toMatchObject({ queue: 'setAside' });
  await fifth.stop();
});

test('an instance that waits at the death of two hosts is not set aside', async () => {
  const first = await nextHost(false);
  await first.start('work', { id: 'patient', input: { input: {} } });
  for (let deaths = 0; deaths < 3; deaths += 1) {
    await nextHost(false);
    await until(() => called.includes('patient'), 'the call');
  }
  const last = await nextHost();
  await until(async () => (await last.get('patient')).ended, 'the end');
  expect(await shared.read('host:deciding')).toMatchObject({
    snapshot: { suspects: {} },
  });
  await last.stop();
});

test('an erase while no host runs leaves no id in the note of what was decided', async () => {
  const place = memoryStore();
  const store = await place.open('a test');
  const fields = { createdAt: 1, status: 'FAILED', ended: true, snapshot: {} };
  for (const id of ['ada', 'eve'])
    await store.create({ id: `of-${id}`, kind: 'instance', contact: id, ...fields });
  const snapshot = {
    deciding: { 'of-ada': 1, 'of-eve': 1 },
    suspects: { 'of-ada': { revision: 1, deaths: 1 } },
  };
  await store.create({ ...fields, id: 'host:deciding', kind: 'host', ended: false, snapshot });
  await store.close();
  await eraseFrom(place, { contact: 'ada' }, { forget: async () => 0 });
  const after = await place.read();
  expect(await after.read('host:deciding')).toMatchObject({
    snapshot: { deciding: { 'of-eve': 1 }, suspects: {} },
  });
  expect(JSON.stringify(await after.read('host:deciding'))).not.toContain('of-ada');
});
