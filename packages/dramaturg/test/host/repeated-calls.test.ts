import { readFile } from 'node:fs/promises';
import { PortError } from '@dramaturg/compiler';
import { manualClock } from '@dramaturg/host';
import { isSlowStep } from '@dramaturg/testing';
import { expect, onTestFinished, test } from 'vitest';
import {
  compile,
  conversationLifecycle,
  createHost,
  type Host,
  type HostOptions,
  memoryStore,
  type Ports,
  understudyPorts,
} from '../../src/index.ts';
import { example } from '../service/stage.ts';

/** A model that can be down. */
class Model {
  isDown = true;
  failure: Error = new Error('503: overloaded, sk-abcdefghijklmnopqrstuvwx');
  calls: { readonly key: string; readonly at: number }[] = [];
  readonly ports: Partial<Ports>;

  constructor(now: () => number) {
    const ports = understudyPorts();
    this.ports = {
      ...ports,
      reply: (input, call) => {
        this.calls.push({ key: input.key, at: now() });
        if (this.isDown) throw this.failure;
        return ports.reply(input, call);
      },
    };
  }
}

async function hosted(
  policy: object,
  store: HostOptions['store'] = memoryStore(),
  clock = manualClock({ startAt: 1_800_000_000_000 }),
) {
  const model = new Model(() => clock.now());
  const errors: string[] = [];
  const sent: string[] = [];
  const lifecycle = compile(
    JSON.stringify({
      ...conversationLifecycle,
      policies: { ...conversationLifecycle.policies, model_failure: policy },
    }),
  );
  const host = await createHost({
    store,
    clock,
    definitions: { intake: { definition: await example('customer-intake.plan'), lifecycle } },
    ports: model.ports,
    channels: { main: { deliver: async ({ text }) => void sent.push(text) } },
    onError: (error, doing) => {
      if (!isSlowStep(error)) errors.push(`${(error as Error).message} (${doing})`);
    },
  });
  onTestFinished(() => host.stop({ within: 0 }));
  return { host, clock, model, errors, sent };
}

const policy = { attempts: 4, delay_ms: 1_000, backoff_rate: 2, max_delay_ms: 3_000 };

async function retryOf(host: Host, id: string) {
  const { waits, state } = await host.get(id);
  return { state, retry: waits.find((wait) => wait.for === 'retry') };
}

test('a failed call is made again after growing delays, with the same key, until the model answers', async () => {
  const { host, clock, model, errors, sent } = await hosted(policy);
  const heard: unknown[] = [];
  const events = host.events({ types: ['turn.attempt.failed'] });
  const follow = async () => {
    for await (const { event } of events) heard.push(event);
  };
  const following = follow();
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.settle();
  expect(await retryOf(host, 'a')).toMatchObject({
    state: 'ACTIVE',
    retry: { attempt: 2, error: 'port/failed', cause: expect.stringContaining('503') },
  });
  clock.set(clock.now() + 1_500);
  await host.settle();
  expect(await retryOf(host, 'a')).toMatchObject({ retry: { attempt: 3 } });
  model.isDown = false;
  clock.set(clock.now() + 3_000);
  await host.settle();
  expect(await retryOf(host, 'a')).toEqual({ state: 'WAITING_FOR_REPLY', retry: undefined });
  expect(sent).toHaveLength(1);
  expect(new Set(model.calls.map(({ key }) => key)).size).toBe(1);
  const [first, second, third] = model.calls.map(({ at }) => at);
  expect(second! - first!).toBeGreaterThanOrEqual(500);
  expect(third! - second!).toBeGreaterThanOrEqual(1_000);
  await events.return?.();
  await following;
  expect(heard).toMatchObject([
    { attempt: 1, attempts: 4, port: 'reply' },
    { attempt: 2, attempts: 4, port: 'reply' },
  ]);
  expect(errors[0]).toContain('Attempt 1 of 4 has failed');
  expect(JSON.stringify([heard, errors])).not.toContain('sk-abc');
});

test('a fork whose call waits for its next attempt makes that attempt', async () => {
  const { host, clock, model } = await hosted(policy);
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.settle();
  await host.fork('a', { step: 2, id: 'b' });
  expect(await retryOf(host, 'b')).toMatchObject({ retry: { attempt: 2 } });
  model.isDown = false;
  clock.set(clock.now() + 3_000);
  await host.settle();
  expect(await retryOf(host, 'b')).toEqual({ state: 'WAITING_FOR_REPLY', retry: undefined });
});

test('when all attempts have failed, a person takes over', async () => {
  const { host, clock, model } = await hosted(policy);
  await host.start('intake', { id: 'a', contact: 'ada' });
  for (let count = 0; count < 4; count += 1) {
    await host.settle();
    clock.set(clock.now() + 10_000);
  }
  await host.settle();
  expect((await host.get('a')).state).toBe('NEEDS_HUMAN_INTERVENTION');
  expect(model.calls).toHaveLength(4);
});

test('a message makes the next attempt at once, and both are answered', async () => {
  const { host, clock, model, sent } = await hosted({
    ...policy,
    delay_ms: 100_000,
    max_delay_ms: 100_000,
  });
  model.isDown = false;
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.settle();
  model.isDown = true;
  await host.receive({ contact: 'ada', text: 'Hello' });
  await host.settle();
  expect(await retryOf(host, 'a')).toMatchObject({ state: 'ACTIVE', retry: { attempt: 2 } });
  model.isDown = false;
  await host.receive({ contact: 'ada', text: 'Ada Byron' });
  await host.settle();
  expect(await retryOf(host, 'a')).toEqual({ state: 'WAITING_FOR_REPLY', retry: undefined });
  expect(sent.at(-1)).toContain('account number');
  expect(clock.now()).toBeLessThan(100_000 + model.calls[0]!.at);
});

test('a message that was received before changes nothing about the attempts', async () => {
  const { host, clock, model } = await hosted({ ...policy, delay_ms: 100_000, max_delay_ms: 1e6 });
  model.isDown = false;
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.settle();
  model.isDown = true;
  await host.receive({ contact: 'ada', text: 'Hello', id: 'm1' });
  await host.settle();
  const before = await retryOf(host, 'a');
  for (let count = 0; count < 10; count += 1) {
    const repeated = await host.receive({ contact: 'ada', text: 'Hello', id: 'm1' });
    expect(repeated).toMatchObject({ accepted: false, code: 'message/repeated' });
  }
  await host.settle();
  expect(await retryOf(host, 'a')).toEqual(before);
  clock.set(clock.now() + 200_000);
  await host.settle();
  expect(await retryOf(host, 'a')).toMatchObject({ retry: { attempt: 3 } });
});

test('a call that is refused, such as one with a wrong key, needs a person at once', async () => {
  const { host, model } = await hosted(policy);
  model.failure = new PortError('port/refused', 'reply', 'The key is not accepted.');
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.settle();
  expect((await host.get('a')).state).toBe('NEEDS_HUMAN_INTERVENTION');
});

const files = [
  'packages/formats/plan/test/fixtures/ending/ending.plan.json',
  'packages/formats/npc/test/fixtures/lighthouse/lighthouse.npc.json',
  'packages/formats/context-graph/test/fixtures/keyed/keyed.context-graph.yaml',
];

test.each(files)(
  'failed calls of %s are made five times again, then a person comes',
  async (file) => {
    const clock = manualClock({ startAt: 1_800_000_000_000 });
    const text = await readFile(new URL(`../../../../${file}`, import.meta.url), 'utf8');
    const fail = () => Promise.reject(new Error('The model is offline.'));
    const names = Object.keys(understudyPorts());
    const host = await createHost({
      store: memoryStore(),
      clock,
      definitions: { it: compile(text, { fileName: file }) },
      ports: Object.fromEntries(names.map((name) => [name, fail])),
      channels: { main: { deliver: async () => {} } },
      onError: () => {},
    });
    onTestFinished(() => host.stop({ within: 0 }));
    await host.start('it', { id: 'a', contact: 'ada' });
    const waited: number[] = [];
    for (;;) {
      await host.settle();
      const { retry } = await retryOf(host, 'a');
      if (retry?.for !== 'retry') break;
      waited.push((retry.at - clock.now()) / 1_000);
      clock.set(retry.at);
    }
    expect(waited).toHaveLength(5);
    for (const [index, seconds] of [5, 15, 45, 135, 300].entries()) {
      expect(waited[index]).toBeGreaterThanOrEqual(seconds * 0.5);
      expect(waited[index]).toBeLessThanOrEqual(seconds * 1.5);
    }
    expect((await host.get('a')).state).toBe('NEEDS_HUMAN_INTERVENTION');
  },
);

test('everybody who spoke during an outage is answered in the end, also across a restart', async () => {
  const store = memoryStore();
  const clock = manualClock({ startAt: 1_800_000_000_000 });
  const one = await hosted(policy, store, clock);
  const contacts = Array.from({ length: 20 }, (_, index) => `contact-${index}`);
  for (const contact of contacts) await one.host.start('intake', { id: contact, contact });
  await one.host.settle();
  const retries = await Promise.all(contacts.map((contact) => retryOf(one.host, contact)));
  expect(new Set(retries.map(({ retry }) => retry!.at)).size).toBeGreaterThan(15);
  await one.host.stop();
  const two = await hosted(policy, store, clock);
  two.model.isDown = false;
  await two.host.settle();
  clock.set(clock.now() + 2_000);
  await two.host.settle();
  const { items } = await two.host.list({}, { limit: 100 });
  expect(items.map(({ state }) => state)).toEqual(contacts.map(() => 'WAITING_FOR_REPLY'));
  expect(two.sent).toHaveLength(20);
});

test('a pause ends the waiting, and a resume makes the call again', async () => {
  const { host, clock, model } = await hosted(policy);
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.settle();
  await host.pause('a');
  expect((await host.get('a')).timers).toEqual([]);
  clock.set(clock.now() + 20_000);
  await host.settle();
  expect(model.calls).toHaveLength(1);
  model.isDown = false;
  await host.resume('a');
  await host.settle();
  expect((await host.get('a')).state).toBe('WAITING_FOR_REPLY');
});

test('a fork of an instance with failed attempts decides the same', async () => {
  const { host, clock, model } = await hosted(policy);
  await host.start('intake', { id: 'a', contact: 'ada' });
  await host.settle();
  model.isDown = false;
  clock.set(clock.now() + 3_000);
  await host.settle();
  const journal = await host.journal('a', { from: 0, limit: 1_000 });
  const steps = journal.filter((line) => (line as { source: string }).source === 'step').length;
  await host.fork('a', { step: steps, id: 'copy' });
  expect((await host.get('copy')).flow).toEqual((await host.get('a')).flow);
});
