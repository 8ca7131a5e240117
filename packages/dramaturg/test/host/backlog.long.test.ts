import {
  createHost,
  type Host,
  type ManualClock,
  manualClock,
  memoryStore,
  type StoreLocation,
} from '@dramaturg/host';
import type { NewRecord } from '@dramaturg/host/store';
import { type ContractOptions, HostStage, until } from '@dramaturg/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { lifecycles } from './lifecycles.ts';

/** A host that opens a store with much work to resume. */

const sizeByDefault = 3_000;
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
  size = sizeByDefault,
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
  const ids = await copyAll(location, change, size);
  return { stage, clock, ids };
}

const original = 'the-original';

async function copyAll(
  location: StoreLocation,
  change: (record: NewRecord, index: number) => Partial<NewRecord>,
  size: number,
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

test('H5: thousands of overdue reminders fire in due order, in the background and with few instances in memory', async () => {
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
  const most = await mostActive(host, () => made.length === sizeByDefault + 1);
  expect(most).toBeLessThan(150);
  expect(made).toEqual([...ids.toReversed(), original]);
  expect(await host.settle()).toBe(true);
  expect(stage.trouble).toEqual([]);
});

test('H4: thousands of calls are made again in the background, and a new conversation begins at once', async () => {
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
    return open.size === sizeByDefault + 2;
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
  const last = `copy-${sizeByDefault - 1}`;
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
  while (made.length < sizeByDefault + 1) {
    const before = made.length;
    const host = await stage.open({ ports: { reply } });
    await until(
      () => made.length >= Math.min(sizeByDefault + 1, before + 0.3 * sizeByDefault),
      'some reminders',
    );
    await host.stop({ within: 0 });
  }
  expect(new Set(made).size).toBe(sizeByDefault + 1);
  expect(stage.trouble).toEqual([]);
});

describe('in a backlog of reminders', () => {
  /** A host in which a reminder for each contact is being made, or waits for one of ten slots. */
  async function reminding(size: number, options: Partial<ContractOptions> = {}): Promise<Backlog> {
    const { stage, clock, ids } = await backlog(
      () => ({}),
      async (each) => {
        await each.greeted(original, original, { interval_ms: 60_000, max_followups: 9 });
      },
      size,
    );
    clock.set(clock.now() + 120_000);
    stage.agent.forget();
    stage.agent.made.length = 0;
    const host = await stage.open(options);
    const page = { limit: size + 1 };
    const remind = { state: 'HEARTBEAT_SCHEDULED' };
    await until(
      async () => (await host.list(remind, page)).items.length === size + 1,
      'the reminders to begin',
    );
    return { stage, clock, ids };
  }

  /** Answers calls, the oldest first, until all of some calls were made. Returns the keys of the calls that it answered. */
  async function answerUntilMade(
    { agent }: HostStage,
    isWanted: (key: string) => boolean,
    count: number,
  ): Promise<readonly string[]> {
    const answered: string[] = [];
    while (agent.made.filter(isWanted).length < count)
      answered.push((await agent.answer('I am here.')).key);
    return answered;
  }

  const isReply = (key: string) => key.endsWith('/reply');

  test.each([200, 800])(
    'a person who writes gets an answer after a bounded number of calls: %d reminders',
    async (size) => {
      const { stage, ids } = await reminding(size);
      const contact = ids.at(-1)!;
      await stage.host.receive({ contact, text: 'Are you there?' });
      await stage.host.start('chat', { id: 'new', contact: 'someone new' });
      const answered = await answerUntilMade(stage, isReply, 2);
      // The reminder of this contact, which is made at once, comes to an end, and then its answer gets the next slot.
      expect(answered.length).toBeLessThanOrEqual(2 * callConcurrency + 2);
      expect(stage.agent.made.filter(isReply).toSorted()).toEqual([
        `${contact}/1/reply`,
        'new/0/reply',
      ]);
    },
  );

  test('reminders go on while people keep writing', async () => {
    const { stage, ids } = await reminding(300);
    const writers = new Set(ids.slice(-ids.length / 10));
    for (const contact of writers) await stage.host.receive({ contact, text: 'Are you there?' });
    const answered = await answerUntilMade(stage, isReply, writers.size);
    const forOthers = answered.filter((key) => !writers.has(key.split('/')[0]!));
    // A reminder and an answer for each writer take three of four slots.
    expect(answered.length).toBeLessThanOrEqual((2 * writers.size * 4) / 3 + 2 * callConcurrency);
    expect(forOthers.length).toBeGreaterThanOrEqual(answered.length / 4 - callConcurrency);
  });

  test('an answer is delivered before reminders that wait for a slow channel', async () => {
    const { stage, ids } = await reminding(100, { deliveryConcurrency: 1 });
    const { agent, channel, host } = stage;
    const accept: (() => void)[] = [];
    channel.taken.length = 0;
    channel.behave = () => new Promise((resolve) => accept.push(resolve));
    for (let count = 0; count <= ids.length; count += 1) await agent.answer('Are you there?');
    const contact = ids.at(-1)!;
    await stage.reaches(contact, 'WAITING_FOR_REPLY');
    await host.receive({ contact, text: 'I am here.' });
    await agent.answer('Good.');
    await host.start('chat', { id: 'new', contact: 'someone new' });
    await agent.answer('Hello.');
    await stage.reaches('new', 'WAITING_FOR_REPLY');
    while (channel.taken.length < 6) {
      await until(() => accept.length > 0, 'a delivery');
      accept.shift()!();
    }
    const reminder = expect.stringMatching(/follow-up$/);
    // The first reminder was with the channel already. One in four is a reminder that nobody waits for.
    expect(channel.taken.map(({ id }) => id)).toEqual([
      reminder,
      expect.stringMatching(new RegExp(`^${contact}/.*follow-up$`)),
      'new/0/reply',
      `${contact}/1/reply`,
      reminder,
      reminder,
    ]);
  });
});
