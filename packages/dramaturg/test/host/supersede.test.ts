import { describe, expect, test } from 'vitest';
import { compile, conversationLifecycle } from '../../src/index.ts';
import { sampled } from '../../../../.config/scaled.ts';
import { halfWrites, killedStore } from './killed-store.ts';
import { definitions, openBank } from './two-questions.ts';

/** A message that comes while the reply is being made: `overlap` of the lifecycle. */

const formats = Object.keys(definitions);
const lifecycleWith = (overlap: string) =>
  compile(
    JSON.stringify({
      ...conversationLifecycle,
      policies: { ...conversationLifecycle.policies, overlap },
    }),
  );
const lifecycle = lifecycleWith('supersede');

type Bank = Awaited<ReturnType<typeof openBank>>;

const replies = ({ reads }: Bank) =>
  reads.flatMap(({ port, message }) =>
    port === 'reply' && message !== undefined ? [message] : [],
  );

describe.each(formats)('%s', (format) => {
  test('the reply is made again with the new line, which answers nothing that was not shown', async () => {
    const bank: Bank = await openBank(format, {
      lifecycle,
      beforeQuestion: () => bank.receive({ text: 'I live in Oslo' }),
    });
    await bank.receive({ text: 'yes' });
    await bank.host.settle();
    expect(replies(bank)).toEqual(['yes', 'yes\nI live in Oslo']);
    const judged = bank.reads.flatMap(({ port, message }) =>
      port === 'reply' ? [] : (message ?? []),
    );
    expect(judged.filter((text) => text === 'yes').length).toBeGreaterThan(0);
    expect(new Set(judged)).toEqual(new Set(['yes', 'I live in Oslo']));
    expect(bank.sent.map(({ text }) => text.slice(0, 5))).toEqual(['Hear ', 'Close']);
    expect(await bank.isClosed()).toBe(false);
    const events = await bank.events();
    expect(
      events.filter(({ type, kind }) => type === 'turn.started' && kind !== 'first'),
    ).toHaveLength(1);
    await bank.receive({ text: 'yes' });
    await bank.host.settle();
    expect(await bank.isClosed()).toBe(true);
  });

  test('a kill at any write loses no line and asks nothing twice', async () => {
    for (const half of sampled(halfWrites)) {
      const store = killedStore();
      const bank: Bank = await openBank(format, {
        lifecycle,
        store,
        beforeQuestion: () => bank.receive({ id: '2', text: 'I live in Oslo' }),
      });
      store.killAt(half);
      const say = async (id: string, text: string) => {
        await bank.receive({ id, text }).catch(() => {});
        await bank.host.settle({ within: 50 }).catch(() => {});
        if (store.isDead) await bank.reopen();
        await bank.receive({ id, text });
        await bank.host.settle();
      };
      await say('1', 'yes');
      await bank.receive({ id: '2', text: 'I live in Oslo' });
      await bank.host.settle();
      expect(await bank.isClosed()).toBe(false);
      expect(bank.reads.some(({ message }) => message?.endsWith('I live in Oslo'))).toBe(true);
      expect(bank.sent.at(-1)?.text).toMatch(/^Close/);
      await say('3', 'yes');
      expect(await bank.isClosed()).toBe(true);
    }
  });
});

test('what a reply has consumed that is made again is counted', async () => {
  const usage = { requests: 1, inputTokens: 10, outputTokens: 2 };
  const bank: Bank = await openBank('plan', {
    lifecycle,
    usage,
    beforeQuestion: () => bank.receive({ text: 'I live in Oslo' }),
  });
  await bank.receive({ text: 'yes' });
  await bank.host.settle();
  const counted = (await bank.events()).flatMap(({ type, key }) =>
    type === 'usage.recorded' ? [String(key)] : [],
  );
  expect(counted.toSorted()).toEqual(['a/0/reply', 'a/1/reply', 'a/2/reply']);
  expect((await bank.host.get('a')).used).toMatchObject({ requests: 3, inputTokens: 30 });
});

test('a reply is made three times at most', async () => {
  let count = 0;
  const bank: Bank = await openBank('plan', {
    lifecycle,
    onReply: async (message) => {
      if (message === undefined || count === 5) return;
      count += 1;
      await bank.receive({ text: `line ${count}` });
    },
  });
  await bank.receive({ text: 'yes' });
  await bank.host.settle();
  expect(replies(bank)).toEqual([
    'yes',
    'yes\nline 1',
    'yes\nline 1\nline 2',
    // The lines after it wait for the next turn.
    'line 3',
    'line 3\nline 4',
    'line 3\nline 4\nline 5',
  ]);
  expect(bank.sent).toHaveLength(3);
});

test.each([
  ['queue', false],
  ['supersede', true],
])('%s: a reply that was shown in part is not made again', async (overlap, shows) => {
  const bank: Bank = await openBank('plan', {
    lifecycle: lifecycleWith(overlap),
    shows,
    beforeQuestion: () => bank.receive({ text: 'I live in Oslo' }),
  });
  await bank.receive({ text: 'yes' });
  await bank.host.settle();
  expect(replies(bank)).toEqual(['yes', 'I live in Oslo']);
  expect(bank.sent).toHaveLength(3);
});

test('another value of the policy is a finding with its place', () => {
  expect(lifecycleWith('both').diagnostics).toMatchObject([
    { severity: 'error', path: ['policies', 'overlap'] },
  ]);
});
