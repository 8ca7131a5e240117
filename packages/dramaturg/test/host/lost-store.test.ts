import { createHost, memoryStore, StoreError } from '@dramaturg/host';
import type { Ownership } from '@dramaturg/host/store';
import { HostStage, overriding, until } from '@dramaturg/testing';
import { expect, onTestFinished, test } from 'vitest';
import { lifecycles } from './lifecycles.ts';

/** What a host does when its ownership is uncertain, and when another host has taken its store. */

const loss = new StoreError('store/lost', 'The store has been taken over by "the other host".');

test('a host of uncertain ownership makes no call and sends no message until it is confirmed', async () => {
  const { stage, ownership } = await staged();
  await stage.greeted('a');
  ownership.doubt();
  await stage.host.receive({ contact: 'contact of a', text: 'Hi!', id: 'm1' });
  await aMoment();
  expect(stage.agent.open).toEqual([]);
  ownership.settle();
  const call = await stage.agent.next();
  ownership.doubt();
  await stage.agent.answer('Hello again.');
  await aMoment();
  expect(stage.channel.texts).toEqual(['Hello from a.']);
  ownership.settle();
  await until(() => stage.channel.texts.length === 2, 'the second message');
  expect(stage.agent.made).toContain(call.key);
});

test('a host that has lost its store sends nothing that it has decided before', async () => {
  const { stage, ownership } = await staged();
  await stage.greeted('a');
  await stage.host.receive({ contact: 'contact of a', text: 'Hi!', id: 'm1' });
  await stage.agent.next();
  ownership.doubt();
  await stage.agent.answer('Too late.');
  await until(async () => (await stage.host.get('a')).undelivered.length === 1, 'the message');
  ownership.lose();
  expect(await stage.host.stopped).toBe(loss);
  await aMoment();
  expect(stage.channel.texts).toEqual(['Hello from a.']);
});

test('a host that has lost its store stops, reports that once, and every call says why', async () => {
  const { stage, ownership } = await staged();
  await stage.greeted('a');
  await stage.host.start('job', { id: 'b', input: {} });
  const { signal } = await stage.agent.next();
  const events = stage.host.events();
  const waiting = (async () => {
    for await (const _ of events);
    return 'the end';
  })();
  ownership.lose();
  expect(await stage.host.stopped).toBe(loss);
  expect(signal.aborted).toBe(true);
  expect(await waiting).toBe('the end');
  const { host } = stage;
  const calls = [
    host.start('chat', { contact: 'x' }),
    host.receive({ contact: 'contact of a', text: 'Hello?' }),
    host.send('a', { type: 'pause' }),
    host.intervene('a', 'By hand'),
    host.fork('a', { step: 1 }),
    host.erase({ contact: 'contact of a' }),
    host.backup('nowhere'),
    host.get('a'),
    host.list({}, { limit: 1 }),
    host.transcript('a', { from: 0, limit: 1 }),
    host.journal('a', { from: 0, limit: 1 }),
    host.damaged(),
    host.verify(),
  ];
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes).toEqual(calls.map(() => ({ status: 'rejected', reason: loss })));
  expect(stage.trouble).toEqual([{ error: loss, doing: 'keeping the store' }]);
});

test('a refusal from memory waits for certainty too', async () => {
  const { stage, ownership } = await staged();
  await stage.greeted('a');
  ownership.doubt();
  const refused = stage.host.send('a', { type: 'decision.made', id: 'unknown' });
  let isAnswered = false;
  const note = () => (isAnswered = true);
  refused.then(note, note);
  await aMoment();
  expect(isAnswered).toBe(false);
  ownership.lose();
  await expect(refused).rejects.toBe(loss);
});

test('a host that is stopped keeps its store until then', async () => {
  const { stage } = await staged();
  const { host } = stage;
  await host.stop();
  expect(await host.stopped).toBe(undefined);
});

/** The ownership that a test changes. */
class TestOwnership implements Ownership {
  readonly #lost = new AbortController();
  #isCertain = true;
  #waiting: (() => void)[] = [];

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  isCertain(): boolean {
    return this.#isCertain && !this.lost.aborted;
  }

  async confirm(): Promise<void> {
    while (!this.isCertain()) {
      this.lost.throwIfAborted();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  doubt(): void {
    this.#isCertain = false;
  }

  settle(): void {
    this.#isCertain = true;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  lose(): void {
    this.#lost.abort(loss);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

async function staged() {
  const ownership = new TestOwnership();
  const memory = memoryStore();
  const place = overriding(memory, {
    open: async (owner: string) => overriding(await memory.open(owner), { ownership }),
  });
  const stage = new HostStage(
    { open: (options) => createHost({ ...options, store: place }) },
    lifecycles,
  );
  await stage.open();
  onTestFinished(() => stage.host.stop({ within: 0 }));
  return { stage, ownership };
}

function aMoment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 100));
}
