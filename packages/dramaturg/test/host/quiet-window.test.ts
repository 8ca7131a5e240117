import { describe, expect, test } from 'vitest';
import { compile, conversationLifecycle } from '../../src/index.ts';
import { places as stores } from './stage.ts';
import { definitions, openBank } from './two-questions.ts';

const lifecycleWith = (settle: object) =>
  compile(
    JSON.stringify({
      ...conversationLifecycle,
      policies: { ...conversationLifecycle.policies, settle },
    }),
  );
const lifecycle = lifecycleWith({ quiet_ms: 1_000, most_ms: 3_000 });

const begun = (events: readonly Record<string, unknown>[]) =>
  events.flatMap(({ type, kind, messages }) =>
    type === 'turn.started' && kind !== 'first' ? [messages] : [],
  );

describe.each(Object.keys(definitions))('%s', (format) => {
  test('three short lines within a second are one turn, and each is read once', async () => {
    const bank = await openBank(format, { lifecycle });
    const pass = async (ms: number) => {
      bank.clock.set(bank.clock.now() + ms);
      await bank.host.settle();
    };
    for (const text of ['well', 'I live in Oslo', 'yes']) {
      await bank.receive({ text });
      await pass(300);
    }
    expect(begun(await bank.events())).toEqual([]);
    expect(await bank.host.get('a')).toMatchObject({ state: 'WAITING_FOR_AGENT' });
    await pass(699);
    expect(begun(await bank.events())).toEqual([]);
    await pass(1);
    expect(begun(await bank.events())).toEqual([3]);
    const messages = bank.reads.flatMap(({ message }) => message ?? []);
    expect(new Set(messages)).toEqual(new Set(['well\nI live in Oslo\nyes']));
    expect(bank.sent).toHaveLength(2);
  });
});

describe.each(Object.keys(stores))('over the store %s', (store) => {
  test('a turn begins after the longest wait, also across a kill', async () => {
    const bank = await openBank('plan', { lifecycle, store: stores[store]!() });
    const pass = async (ms: number) => {
      bank.clock.set(bank.clock.now() + ms);
      await bank.host.settle();
    };
    for (let count = 0; count < 3; count += 1) {
      await bank.receive({ text: `word ${count}` });
      await pass(900);
    }
    await bank.reopen();
    await bank.receive({ text: 'yes' });
    await pass(299);
    expect(begun(await bank.events())).toEqual([]);
    await pass(1);
    expect(begun(await bank.events())).toEqual([4]);
  });
});

test('messages of a turn settle after it, and what was quiet for long enough is taken at once', async () => {
  const bank = await openBank('plan', {
    lifecycle,
    beforeAnswer: async () => {
      await bank.receive({ text: 'no hurry' });
    },
    beforeQuestion: async () => {
      bank.clock.set(bank.clock.now() + 1_000);
    },
  });
  await bank.receive({ text: 'yes' });
  await bank.host.settle();
  bank.clock.set(bank.clock.now() + 1_000);
  await bank.host.settle();
  expect(begun(await bank.events())).toEqual([1, 1]);
  expect(await bank.isClosed()).toBe(false);
});

test('without the policy a turn begins with the first message', async () => {
  const bank = await openBank('plan', { lifecycle: lifecycleWith({ quiet_ms: 0 }) });
  await bank.receive({ text: 'yes' });
  await bank.host.settle();
  expect(begun(await bank.events())).toEqual([1]);
});
