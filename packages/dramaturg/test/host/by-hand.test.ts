import { describe, expect, test } from 'vitest';
import { compile, conversationLifecycle } from '../../src/index.ts';
import { sampled } from '../../../../.config/scaled.ts';
import { halfWrites, killedStore } from './killed-store.ts';
import { definitions, openBank } from './two-questions.ts';

/** A person writes by hand, and names the last line that they have read. */

const formats = Object.keys(definitions);
const settling = compile(
  JSON.stringify({
    ...conversationLifecycle,
    policies: { ...conversationLifecycle.policies, settle: { quiet_ms: 1_000, most_ms: 3_000 } },
  }),
);

type Bank = Awaited<ReturnType<typeof openBank>>;

const lastLine = async ({ host }: Bank) =>
  (await host.transcript('a', { from: 0, limit: 1_000 })).at(-1)!.id;

const write = async (bank: Bank) => {
  const upTo = await lastLine(bank);
  expect(await bank.host.intervene('a', 'I look into it.', { by: 'ana', upTo })).toMatchObject({
    accepted: true,
  });
};

const settled = async (bank: Bank) => {
  await bank.host.settle();
  bank.clock.set(bank.clock.now() + 1_000);
  await bank.host.settle();
};

/** When the person writes. The contact has said "yes" to the first question. */
const moments = ['answer', 'question', 'quiet', 'paused', 'taken over'] as const;

describe.each(formats)('%s', (format) => {
  test.each(moments)('a line by hand answers what its author has read: %s', async (moment) => {
    const bank: Bank = await openBank(format, {
      ...(moment === 'quiet' && { lifecycle: settling }),
      ...(moment === 'answer' && { beforeAnswer: () => write(bank) }),
      ...(moment === 'question' && { beforeQuestion: () => write(bank) }),
    });
    if (moment === 'paused') await bank.host.pause('a');
    if (moment === 'taken over') await bank.host.takeOver('a', { by: 'ana' });
    await bank.receive({ text: 'yes' });
    if (moment !== 'answer' && moment !== 'question') await write(bank);
    if (moment === 'paused') await bank.host.resume('a');
    if (moment === 'taken over') await bank.host.handBack('a', { by: 'ana' });
    await settled(bank);
    expect(bank.sent.map(({ text }) => text.slice(0, 4))).toEqual(['Hear', 'I lo']);
    expect(await bank.host.get('a')).toMatchObject({ state: 'WAITING_FOR_REPLY' });
    // The turn went through ACTIVE, and what the line says is recorded.
    const events = await bank.events();
    const judged = bank.reads.flatMap(({ port, message }) =>
      port === 'reply' ? [] : (message ?? []),
    );
    expect(new Set(judged)).toEqual(new Set(['yes']));
    expect(events.filter(({ type }) => type === 'turn.failed')).toEqual([]);
    // The question that nobody has read takes no answer, and comes with the next reply.
    await bank.receive({ text: 'yes please' });
    await settled(bank);
    expect(await bank.isClosed()).toBe(false);
    expect(bank.sent.at(-1)?.text).toMatch(/^Close/);
    await bank.receive({ text: 'yes' });
    await settled(bank);
    expect(await bank.isClosed()).toBe(true);
  });
});

test('lines that the author had not read are answered, without those that were', async () => {
  const bank = await openBank('plan', { lifecycle: settling });
  await bank.receive({ text: 'Do you deliver?' });
  const upTo = await lastLine(bank);
  await bank.receive({ text: 'I live in Oslo' });
  await bank.host.intervene('a', 'Yes, we do.', { by: 'ana', upTo });
  await settled(bank);
  const replies = bank.reads.filter(
    ({ port, message }) => port === 'reply' && message !== undefined,
  );
  expect(replies.map(({ message }) => message)).toEqual(['I live in Oslo']);
  expect(
    replies[0]!.lines.map(({ role, text, isNew }) => [role, text.slice(0, 15), isNew]),
  ).toEqual([
    ['agent', 'Hear your balan', undefined],
    ['contact', 'Do you deliver?', undefined],
    ['contact', 'I live in Oslo', true],
    ['manual', 'Yes, we do.', undefined],
  ]);
});

test('a line by hand that names no line answers nothing', async () => {
  const bank = await openBank('plan', { lifecycle: settling });
  await bank.receive({ text: 'Do you deliver?' });
  await bank.host.intervene('a', 'Your parcel is here.', { by: 'ana' });
  await settled(bank);
  const { port, lines } = bank.reads.at(-1)!;
  expect(port).toBe('reply');
  expect(lines.find(({ role }) => role === 'contact')).toMatchObject({ isNew: true });
  expect(bank.sent.at(-1)!.text).toMatch(/^Hear/);
});

test('a line that the conversation does not have is refused', async () => {
  const bank = await openBank('plan');
  expect(await bank.host.intervene('a', 'Hello?', { upTo: 'no such line' })).toMatchObject({
    accepted: false,
    code: 'message/unknown-line',
  });
  expect(bank.sent).toHaveLength(1);
});

test('a conversation that asked for a person goes through a silent turn', async () => {
  const bank = await openBank('plan', {
    lifecycle: compile(
      JSON.stringify({
        ...conversationLifecycle,
        policies: { ...conversationLifecycle.policies, words: { en: { person: ['person'] } } },
      }),
    ),
  });
  await bank.receive({ text: 'person' });
  await bank.receive({ text: 'I live in Oslo' });
  await bank.host.settle();
  expect((await bank.host.get('a')).state).toBe('NEEDS_HUMAN_INTERVENTION');
  await write(bank);
  await bank.host.settle();
  const states = (await bank.events()).flatMap(({ type, state, source }) =>
    type === 'state.entered' && /^[A-Z_]+$/.test(String(state)) ? [state ?? source] : [],
  );
  expect(states.slice(-3)).toEqual(['NEEDS_HUMAN_INTERVENTION', 'ACTIVE', 'WAITING_FOR_REPLY']);
  expect(bank.reads.at(-1)).toMatchObject({ port: 'extract', message: 'I live in Oslo' });
  expect(bank.sent).toHaveLength(2);
});

describe('a reply that the channel does not have yet', () => {
  /** The channel is busy with one reply, and the next one waits behind it. */
  const busy = async (after: (bank: Bank) => Promise<unknown>) => {
    let free = () => {};
    const isFree = new Promise<void>((resolve) => (free = resolve));
    const bank: Bank = await openBank('plan', {
      beforeShown: () => isFree,
    });
    await bank.receive({ text: 'yes' });
    await bank.host.settle({ within: 20 });
    await bank.receive({ text: 'What does it cost?' });
    await bank.host.settle({ within: 20 });
    const done = after(bank);
    await bank.host.settle({ within: 20 });
    free();
    await done;
    await bank.host.settle();
    return bank;
  };

  test('is dropped', async () => {
    const bank = await busy(write);
    expect(bank.sent.map(({ text }) => text.slice(0, 4))).toEqual(['Hear', 'Clos', 'I lo']);
    const dropped = (await bank.host.transcript('a', { from: 0, limit: 100 })).findLast(
      ({ role }) => role === 'agent',
    );
    expect(dropped).toMatchObject({
      delivery: { status: 'failed', reason: 'A person has answered.' },
    });
    // What was asked before stays open.
    await bank.receive({ text: 'yes' });
    await bank.host.settle();
    expect(await bank.isClosed()).toBe(true);
  });

  test('waits while a person has the conversation', async () => {
    const bank = await busy((each) => each.host.takeOver('a', { by: 'ana' }));
    expect(bank.sent).toHaveLength(2);
    await bank.reopen();
    await bank.host.settle();
    expect(bank.sent).toHaveLength(2);
    await bank.host.handBack('a', { by: 'ana' });
    await bank.host.settle();
    expect(bank.sent).toHaveLength(3);
  });
});

describe.each(formats)('%s', (format) => {
  test('a kill at any write neither answers twice nor loses the question', async () => {
    for (const half of sampled(halfWrites)) {
      const store = killedStore();
      const bank: Bank = await openBank(format, {
        store,
        beforeQuestion: () => write(bank),
      });
      store.killAt(half);
      const isOut = (text: string) => bank.sent.some((each) => each.text.startsWith(text));
      const say = async (id: string, text: string) => {
        await bank.receive({ id, text }).catch(() => {});
        await bank.host.settle({ within: 50 }).catch(() => {});
        if (store.isDead) await bank.reopen();
        await bank.receive({ id, text });
        await bank.host.settle();
      };
      await say('1', 'yes');
      const order = bank.sent.map(({ text }) => text.slice(0, 4));
      // A line that was not stored before the kill is not written.
      expect([
        ['Hear', 'I lo'],
        ['Hear', 'Clos'],
      ]).toContainEqual([...new Set(order)]);
      if (!isOut('Close')) await say('2', 'yes please');
      expect(isOut('Close')).toBe(true);
      expect(await bank.isClosed()).toBe(false);
      await say('3', 'yes');
      expect(await bank.isClosed()).toBe(true);
    }
  });
});
