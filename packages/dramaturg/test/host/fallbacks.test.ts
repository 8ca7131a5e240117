import { describe, expect, test } from 'vitest';
import { compile, conversationLifecycle } from '../../src/index.ts';
import { places as stores } from './stage.ts';
import { definitions, openBank } from './two-questions.ts';

/** What a contact hears who waits in vain: `fallbacks` of the lifecycle. */

const lifecycleWith = (fallbacks: object, attempts = 1) =>
  compile(
    JSON.stringify({
      ...conversationLifecycle,
      policies: { ...conversationLifecycle.policies, model_failure: { attempts }, fallbacks },
    }),
  );

type Bank = Awaited<ReturnType<typeof openBank>>;
const texts = ({ sent }: Bank) => sent.map(({ text }) => text.slice(0, 9));

describe.each(Object.keys(definitions))('%s', (format) => {
  test('a contact who waits for long hears one line, and then the reply', async () => {
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const bank = await openBank(format, {
      lifecycle: lifecycleWith({}),
      beforeQuestion: () => answered,
    });
    await bank.receive({ text: 'yes' });
    for (const ms of [29_999, 1, 30_000]) {
      await bank.host.settle({ within: 20 });
      bank.clock.set(bank.clock.now() + ms);
      await bank.host.settle({ within: 20 });
      expect(texts(bank)).toEqual(ms === 29_999 ? ['Hear your'] : ['Hear your', 'One momen']);
    }
    answer();
    await bank.host.settle();
    expect(texts(bank)).toEqual(['Hear your', 'One momen', 'Close you']);
    // The line is not a question.
    await bank.receive({ text: 'yes' });
    await bank.host.settle();
    expect(await bank.isClosed()).toBe(true);
  });

  test.each(Object.keys(stores))(
    '%s: a failed turn is told once for an unanswered burst',
    async (store) => {
      let isDown = false;
      const bank = await openBank(format, {
        store: stores[store]!(),
        lifecycle: lifecycleWith({ language: 'de-AT', waiting: 'Moment!' }),
        onCall: () => {
          if (isDown) throw new Error('an outage');
        },
      });
      isDown = true;
      await bank.receive({ text: 'yes' });
      await bank.host.settle();
      expect(await bank.host.get('a')).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION' });
      expect(bank.sent.at(-1)?.text).toMatch(/^Leider kann ich/);
      await bank.reopen();
      await bank.receive({ text: 'Hello?' });
      // The outage goes on.
      await bank.host.resume('a');
      await bank.host.settle();
      expect(await bank.host.get('a')).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION' });
      isDown = false;
      await bank.host.resume('a');
      await bank.host.settle();
      expect(bank.sent.filter(({ text }) => text.startsWith('Leider'))).toHaveLength(1);
      expect(bank.sent.at(-1)?.text).toMatch(/^Close/);
    },
  );

  test.each([
    ['during', 2],
    ['after', 1],
  ])('a contact who writes %s a first turn that fails is told once', async (_, attempts) => {
    const bank = await openBank(format, {
      lifecycle: lifecycleWith({ language: 'de', waiting_after_ms: 0 }, attempts),
      onReply: () => Promise.reject(new Error('an outage')),
    });
    expect(bank.sent).toEqual([]);
    for (const text of ['Hello?', 'Is anybody there?']) {
      await bank.receive({ text });
      await bank.host.settle();
      bank.clock.set(bank.clock.now() + 10_000);
      await bank.host.settle();
      expect(await bank.host.get('a')).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION' });
      expect(texts(bank)).toEqual(['Leider ka']);
    }
  });
});

test('sentences are in the language of the definition', async () => {
  const plan = {
    id: 'p',
    title: 'P',
    language: 'fr',
    states: [{ id: 'a', title: 'A', tasks: [] }],
  };
  expect(compile(JSON.stringify(plan), { fileName: 'p.plan.json' }).chart?.meta).toMatchObject({
    language: 'fr',
  });
});

test('nobody is told of a first turn that fails, and nothing is said without the policy', async () => {
  const first = await openBank('plan', {
    lifecycle: lifecycleWith({ waiting_after_ms: 1_000 }),
    onReply: () => Promise.reject(new Error('an outage')),
  });
  expect(first.sent).toEqual([]);
});

test('without a lifecycle of its own, a contact is told that no reply can be made', async () => {
  const bank = await openBank('plan', {
    onReply: async (message) => {
      if (message !== undefined) throw new Error('an outage');
    },
  });
  await bank.receive({ text: 'yes' });
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await bank.host.settle();
    bank.clock.set(bank.clock.now() + 600_000);
  }
  await bank.host.settle();
  expect(await bank.host.get('a')).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION' });
  expect(texts(bank)).toEqual(['Hear your', 'One momen', 'Sorry, I ']);
});

test('bad fields are findings', () => {
  const { diagnostics } = lifecycleWith({ waiting_after_ms: -1, failed: ' ', wait: 'x' });
  expect(diagnostics.map(({ path }) => path.join('.')).toSorted()).toEqual([
    'policies.fallbacks.failed',
    'policies.fallbacks.wait',
    'policies.fallbacks.waiting_after_ms',
  ]);
});
