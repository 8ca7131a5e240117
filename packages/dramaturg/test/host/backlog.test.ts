import {
  createHost,
  type Host,
  type ManualClock,
  manualClock,
  memoryStore,
  type NewRecord,
  type StoreLocation,
} from '@dramaturg/host';
import { HostStage, until } from '@dramaturg/host/testing';
import { expect, onTestFinished, test } from 'vitest';
import { lifecycles } from './lifecycles.ts';

/** A host that opens a store with much work to resume. */

const size = 10_000;
const maxActive = 20;
const callConcurrency = 10;

interface Backlog {
  readonly stage: HostStage;
  readonly clock: ManualClock;
  /** The ids of the instances, in the order in which they were created. */
  readonly ids: readonly string[];
}

/**
 * Copies one conversation many times, and opens a host on the store.
 *
 * @param change what differs in a copy
 */
async function backlog(
  change: (record: NewRecord, index: number) => Partial<NewRecord>,
  prepare: (stage: HostStage) => Promise<void>,
): Promise<Backlog> {
  const clock = manualClock({ startAt: Date.UTC(2026, 0, 1) });
  const location = memoryStore();
  const stage = new HostStage(
    {
      open: (options) =>
        createHost({ ...options, store: location, clock, maxActive, callConcurrency }),
    },
    lifecycles,
  );
  await stage.open();
  onTestFinished(() => stage.host.stop({ within: 0 }));
  await prepare(stage);
  await stage.host.stop({ within: 0 });
  const ids = await copyAll(location, change);
  return { stage, clock, ids };
}

const original = 'the-original';

async function copyAll(
  location: StoreLocation,
  change: (record: NewRecord, index: number) => Partial<NewRecord>,
): Promise<string[]> {
  const store = await location.open('the test');
  const record = (await store.read(original))!;
  const journal = await store.journal(original, { from: 0, limit: 1_000 });
  const transcript = await store.transcript(original, { from: 0, limit: 1_000 });
  const text = JSON.stringify({ ...record, journal, transcript });
  const ids: string[] = [];
  for (let index = 0; index < size; index += 1) {
    const id = `copy-${index}`;
    const copy = JSON.parse(text.replaceAll(original, id)) as NewRecord;
    await store.create({ ...copy, ...change(copy, index) });
    ids.push(id);
  }
  await store.close();
  return ids;
}

/** Follows a host until it has no work, and returns how many instances were in memory at most. */
async function mostActive(host: Host, isOver: () => boolean): Promise<number> {
  let most = 0;
  while (!isOver()) {
    most = Math.max(most, host.activeCount);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return most;
}

test('H5: ten thousand overdue reminders fire in due order, in the background and with few instances in memory', async () => {
  const { stage, clock, ids } = await backlog(
    // The last copy is due first.
    ({ timers = [] }, index) => ({
      timers: timers.map((timer) => ({ ...timer, at: timer.at - index })),
    }),
    async (each) => {
      await each.greeted(original, original, { interval_ms: 60_000, max_followups: 1 });
    },
  );
  clock.set(clock.now() + 120_000);
  stage.agent.forget();
  const made: string[] = [];
  const reply = ({ key }: { key: string }) => {
    made.push(key.split('/')[0]!);
    return { text: 'Are you there?' };
  };
  const host = await stage.open({ ports: { reply } });
  expect(made).toEqual([]);
  const most = await mostActive(host, () => made.length === size + 1);
  expect(most).toBeLessThan(150);
  expect(made).toEqual([...ids.toReversed(), original]);
  expect(await host.settle()).toBe(true);
  expect(stage.trouble).toEqual([]);
});

test('H4: ten thousand calls are made again in the background, and a new conversation begins at once', async () => {
  const { stage, ids } = await backlog(
    ({ createdAt }, index) => ({ createdAt: createdAt + index }),
    async (each) => {
      await each.host.start('chat', { id: original, contact: original });
      await each.agent.next();
    },
  );
  stage.agent.forget();
  stage.agent.made.length = 0;
  const host = await stage.open();
  expect(stage.agent.made).toEqual([]);
  await host.start('job', { id: 'new' });
  const open = new Set<string>();
  await until(
    () => stage.agent.made.some((key) => key.startsWith('new')),
    'the call of the new one',
  );
  expect(stage.agent.made.length).toBeLessThanOrEqual(2 * callConcurrency + 1);
  const most = await mostActive(host, () => {
    for (const { key, port, resolve } of stage.agent.open) {
      if (open.has(key)) continue;
      open.add(key);
      resolve((port === 'reply' ? { text: 'Hello.' } : { result: 'done' }) as never);
    }
    return open.size === size + 2;
  });
  expect(most).toBeLessThan(150);
  expect(await host.settle()).toBe(true);
  expect(stage.agent.made.filter((key) => key.startsWith('copy'))).toEqual(
    ids.map((id) => `${id}/0/reply`),
  );
});

test('a message that comes while the work is resumed is handled after the stored work of its instance', async () => {
  const { stage } = await backlog(
    () => ({}),
    async (each) => {
      await each.host.start('chat', { id: original, contact: original });
      await each.agent.next();
    },
  );
  stage.agent.forget();
  const reply = ({ key }: { key: string }) => ({ text: `Answer ${key}.` });
  const host = await stage.open({ ports: { reply } });
  const last = `copy-${size - 1}`;
  expect(await host.send(last, { type: 'message.received', text: 'Hi.', id: 'm' })).toMatchObject({
    accepted: true,
  });
  await until(async () => (await stage.said(last)).length === 3, 'both answers');
  expect((await stage.said(last)).toSorted()).toEqual([
    `agent: Answer ${last}/0/reply.`,
    `agent: Answer ${last}/1/reply.`,
    'contact: Hi.',
  ]);
  // The first answer belongs to the call that the last host had made.
  expect(await host.settle({ within: 120_000 })).toBe(true);
});

test('a host that stops while it resumes work leaves the rest to the next one', async () => {
  const { stage, clock } = await backlog(
    () => ({}),
    async (each) => {
      await each.greeted(original, original, { interval_ms: 60_000, max_followups: 1 });
    },
  );
  clock.set(clock.now() + 120_000);
  stage.agent.forget();
  const made: string[] = [];
  const reply = ({ key }: { key: string }) => {
    made.push(key);
    return { text: 'Are you there?' };
  };
  while (made.length < size + 1) {
    const before = made.length;
    const host = await stage.open({ ports: { reply } });
    await until(() => made.length >= Math.min(size + 1, before + 3_000), 'some reminders');
    await host.stop({ within: 0 });
  }
  expect(new Set(made).size).toBe(size + 1);
  expect(stage.trouble).toEqual([]);
});
