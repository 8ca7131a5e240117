import {
  createHost,
  memoryStore,
  type Store,
  StoreError,
  type StoreLocation,
} from '@dramaturg/host';
import { HostStage, overriding, until } from '@dramaturg/testing';
import { afterEach, expect, test } from 'vitest';
import { lifecycles } from './lifecycles.ts';

/** A host whose store fails. */

let stage: HostStage;

const calls = [
  'create',
  'commit',
  'acknowledge',
  'read',
  'list',
  'due',
  'pending',
  'transcript',
] as const satisfies readonly (keyof Store)[];

/** A store with single calls that fail. */
class Faults {
  /** The error for a call that must fail. */
  fault: ((call: keyof Store, id: string) => Error | undefined) | undefined;

  around(place: StoreLocation): StoreLocation {
    return {
      read: () => place.read(),
      open: async (owner) => {
        const store = await place.open(owner);
        return overriding(
          store,
          Object.fromEntries(calls.map((name) => [name, this.#failing(store, name)])),
        );
      },
    };
  }

  #failing(store: Store, name: keyof Store) {
    const method = (store[name] as (...given: unknown[]) => unknown).bind(store);
    return async (...given: unknown[]) => {
      const [first] = given;
      const id = typeof first === 'string' ? first : (first as { id?: string })?.id;
      const error = this.fault?.(name, id ?? '');
      if (error) throw error;
      return method(...given);
    };
  }
}

async function opened(): Promise<Faults> {
  const faults = new Faults();
  const store = faults.around(memoryStore());
  stage = new HostStage({ open: (options) => createHost({ ...options, store }) }, lifecycles);
  await stage.open();
  return faults;
}

afterEach(() => stage.host.stop({ within: 0 }));

const full = () => new StoreError('store/full', 'No space is left.');

test('an event that cannot be stored is not acknowledged and changes nothing', async () => {
  const faults = await opened();
  await stage.greeted('a', 'ada');
  faults.fault = (call) => (call === 'commit' ? full() : undefined);
  await expect(stage.host.pause('a')).rejects.toMatchObject({ code: 'store/full' });
  faults.fault = undefined;
  expect(await stage.stateOf('a')).toBe('WAITING_FOR_REPLY');
  expect(await stage.host.pause('a')).toMatchObject({ accepted: true });
});

test('a host is not ready from a write that fails until one succeeds', async () => {
  const faults = await opened();
  await stage.greeted('a', 'ada');
  await stage.host.ready();
  faults.fault = (call) => (call === 'commit' || call === 'create' ? full() : undefined);
  // Nothing has tried to write yet.
  await stage.host.ready();
  await expect(stage.host.pause('a')).rejects.toMatchObject({ code: 'store/full' });
  await expect(stage.host.ready()).rejects.toMatchObject({ code: 'store/full' });
  await expect(stage.host.ready()).rejects.toMatchObject({ code: 'store/full' });
  faults.fault = undefined;
  await stage.host.ready();
  expect((await stage.host.list({}, { limit: 10 })).items.map(({ id }) => id)).toEqual(['a']);
});

test('a host is not ready while its store cannot be read, and when it has stopped', async () => {
  const faults = await opened();
  faults.fault = (call) => (call === 'list' ? full() : undefined);
  await expect(stage.host.ready()).rejects.toMatchObject({ code: 'store/full' });
  faults.fault = undefined;
  await stage.host.ready();
  await stage.host.stop({ within: 0 });
  await expect(stage.host.ready()).rejects.toMatchObject({ code: 'host/stopped' });
});

test.each(['store/failed', 'store/lost'] as const)(
  'a start that meets %s is reported to who runs the host, too',
  async (code) => {
    const faults = await opened();
    faults.fault = (call) =>
      call === 'create' ? new StoreError(code, 'A flush has failed.') : undefined;
    await expect(stage.host.start('chat', { id: 'a', contact: 'ada' })).rejects.toMatchObject({
      code,
    });
    expect(stage.trouble).toMatchObject([{ error: { code }, doing: 'writing to the store' }]);
  },
);

test('of messages that arrive at once, none is acknowledged when their write fails', async () => {
  const faults = await opened();
  await stage.greeted('a', 'ada');
  await stage.host.pause('a');
  faults.fault = (call) => (call === 'commit' ? full() : undefined);
  const ids = Array.from({ length: 10 }, (_, index) => `m${index}`);
  const sendAll = () =>
    Promise.allSettled(ids.map((id) => stage.host.receive({ contact: 'ada', id, text: id })));
  for (const answer of await sendAll())
    expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'store/full' } });
  expect(await stage.said('a')).toEqual(['agent: Hello from a.']);
  let commits = 0;
  faults.fault = (call) => {
    if (call === 'commit') commits += 1;
    return undefined;
  };
  for (const answer of await sendAll()) expect(answer).toMatchObject({ value: { accepted: true } });
  // The first one is stored alone at most.
  expect(commits).toBeLessThanOrEqual(2);
  expect(await stage.said('a')).toEqual([
    'agent: Hello from a.',
    ...ids.map((id) => `contact: ${id}`),
  ]);
});

test('a message that cannot be decided fails, and the ones before it are stored', async () => {
  const faults = await opened();
  await stage.greeted('a', 'ada');
  await stage.host.pause('a');
  for (let index = 0; index < 50; index += 1)
    await stage.host.receive({ contact: 'ada', text: `text ${index}` });
  await stage.reopen();
  // An id is compared with those of the messages that wait, which are read first.
  faults.fault = (call) => (call === 'transcript' ? full() : undefined);
  const sendAll = () =>
    Promise.allSettled([
      stage.host.receive({ contact: 'ada', text: 'without an id' }),
      stage.host.receive({ contact: 'ada', id: 'm1', text: 'with an id' }),
      stage.host.receive({ contact: 'ada', text: 'behind it' }),
    ]);
  const statuses = (await sendAll()).map(({ status }) => status);
  expect(statuses).toEqual(['fulfilled', 'rejected', 'rejected']);
  faults.fault = undefined;
  await stage.host.receive({ contact: 'ada', id: 'm1', text: 'with an id' });
  expect((await stage.said('a')).slice(-2)).toEqual([
    'contact: without an id',
    'contact: with an id',
  ]);
});

test('messages that cannot be read stay, and the next attempt gives them to the agent', async () => {
  const faults = await opened();
  await stage.greeted('a', 'ada');
  await stage.host.pause('a');
  await stage.host.receive({ contact: 'ada', text: 'Hi.' });
  faults.fault = (call) => (call === 'transcript' ? full() : undefined);
  await expect(stage.host.resume('a')).rejects.toMatchObject({ code: 'store/full' });
  expect(await stage.stateOf('a')).toBe('PAUSED');
  faults.fault = undefined;
  await stage.host.resume('a');
  expect((await stage.agent.answer('Hello.')).input.message).toBe('Hi.');
});

test('an answer that cannot be stored has no effect, and the call is repeated with the same key', async () => {
  const faults = await opened();
  await stage.host.start('chat', { id: 'a', contact: 'ada' });
  await stage.agent.next();
  faults.fault = (call) => (call === 'commit' ? full() : undefined);
  const usage = { inputTokens: 10 };
  await stage.agent.answer({ text: 'Lost.', usage });
  await until(() => stage.trouble.length > 0, 'the failure');
  faults.fault = undefined;
  await stage.agent.answer({ text: 'Hello.', usage });
  await stage.reaches('a', 'WAITING_FOR_REPLY');
  expect(stage.agent.made).toEqual(['a/0/reply', 'a/0/reply']);
  expect(await stage.said('a')).toEqual(['agent: Hello.']);
  expect(stage.channel.texts).toEqual(['Hello.']);
  expect((await stage.host.get('a')).used).toMatchObject({ calls: 1, inputTokens: 10 });
});

test('when a receipt cannot be stored, the message is delivered again with the same id', async () => {
  const faults = await opened();
  faults.fault = (call) => (call === 'acknowledge' ? full() : undefined);
  await stage.host.start('chat', { id: 'a', contact: 'ada' });
  await stage.agent.answer('Hello.');
  await until(() => stage.trouble.length > 0, 'the failure');
  faults.fault = undefined;
  await until(async () => (await stage.host.get('a')).undelivered.length === 0, 'the receipt');
  expect(new Set(stage.channel.called)).toEqual(new Set(['a/0/reply']));
  expect(stage.channel.texts).toEqual(['Hello.']);
});

test('an unreadable instance is reported as damaged, and all others are served', async () => {
  const faults = await opened();
  await stage.greeted('a', 'ada');
  await stage.greeted('b', 'bob', { interval_ms: 20, max_followups: 1 });
  await stage.reopen();
  faults.fault = (_, id) =>
    id === 'a' ? new StoreError('store/damaged', 'The record "a" is damaged.') : undefined;
  await expect(stage.host.pause('a')).rejects.toMatchObject({ code: 'store/damaged' });
  await stage.agent.answer('Are you there?');
  await stage.reaches('b', 'ABANDONED');
  expect(await stage.host.receive({ contact: 'ada', text: 'Hi.' })).toMatchObject({
    instance: null,
    code: 'host/no-holder',
  });
  expect(await stage.host.start('chat', { id: 'c', contact: 'ada' })).toMatchObject({
    state: 'ACTIVE',
  });
});

test('a contact is not free while its holder cannot be read for a moment', async () => {
  const faults = await opened();
  await stage.greeted('a', 'ada');
  await stage.host.start('chat', { id: 'b', contact: 'ada' });
  faults.fault = (call, id) =>
    call === 'read' && id === 'a' ? new StoreError('store/failed', 'EIO') : undefined;
  await stage.reopen();
  await until(
    () => stage.trouble.some(({ doing }) => doing.startsWith('calling up')),
    'the failed call-up',
  );
  faults.fault = undefined;
  await stage.host.settle();
  expect([await stage.stateOf('a'), await stage.stateOf('b')]).toEqual([
    'WAITING_FOR_REPLY',
    'QUEUED',
  ]);
  // The failed call-up is repeated, so that nobody waits for the next host.
  faults.fault = (call, id) =>
    call === 'read' && id === 'b' ? new StoreError('store/failed', 'EIO') : undefined;
  await stage.host.cancel('a');
  faults.fault = undefined;
  await stage.agent.answer('Hello from b.');
  await stage.reaches('b', 'WAITING_FOR_REPLY');
});

test('a failed timer is retried', async () => {
  const faults = await opened();
  // Long enough for a busy machine: the timer has to meet the failure.
  await stage.greeted('a', 'ada', { interval_ms: 500, max_followups: 1 });
  faults.fault = (call, id) => (call === 'commit' && id === 'a' ? full() : undefined);
  await until(() => stage.trouble.length > 0, 'the failure');
  faults.fault = undefined;
  await stage.agent.answer('Are you there?');
  await stage.reaches('a', 'ABANDONED');
  expect(stage.channel.texts).toEqual(['Hello from a.', 'Are you there?']);
});

test('H6: a second host on a store is refused with the name of the owner', async () => {
  const store = memoryStore();
  stage = new HostStage(
    { open: (options) => createHost({ ...options, store, name: 'the first' }) },
    lifecycles,
  );
  await stage.open();
  const second = createHost({ store, name: 'the second', definitions: [], behaviours: new Map() });
  await expect(second).rejects.toMatchObject({
    code: 'store/owned',
    message: expect.stringContaining('the first') as string,
  });
  await stage.greeted('a', 'ada');
});

test.each(['pending', 'list', 'due'] as const)(
  'a host whose store fails once in `%s` while it resumes still resumes everything',
  async (failing) => {
    const faults = await opened();
    await stage.greeted('a', 'ada', { interval_ms: 50, max_followups: 1 });
    await stage.host.start('chat', { id: 'b', contact: 'ada' });
    // The process ends between the end of one instance and the turn of the next.
    faults.fault = (call) => (call === 'list' ? full() : undefined);
    await stage.host.cancel('a');
    await stage.host.stop({ within: 0 });
    let hasBegun = false;
    faults.fault = (call) => {
      hasBegun ||= call === 'pending';
      if (!hasBegun || call !== failing) return undefined;
      faults.fault = undefined;
      return full();
    };
    await stage.open();
    await stage.agent.answer('Hello from b.');
    await stage.reaches('b', 'WAITING_FOR_REPLY');
    expect(faults.fault).toBeUndefined();
  },
);
