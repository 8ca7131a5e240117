import { describe, expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { until } from '@dramaturg/testing';
import { compile, conversationLifecycle } from '../../src/index.ts';
import { places as stores } from './stage.ts';
import { definitions, type Message, openBank } from './two-questions.ts';

const formats = Object.keys(definitions);

test.each(formats)(
  '%s: "yes", "yes please" at once do not answer the question after',
  async (format) => {
    const bank = await openBank(format);
    await Promise.all([bank.receive({ text: 'yes' }), bank.receive({ text: 'yes please' })]);
    await bank.host.settle();
    expect(await bank.isClosed()).toBe(false);
    expect(bank.sent.at(-1)?.text).toMatch(/^Close your account/);
    await bank.receive({ text: 'yes' });
    await bank.host.settle();
    expect(await bank.isClosed()).toBe(true);
  },
);

test.each(formats)(
  '%s: a message that comes during the last reply is answered as one after the end',
  async (format) => {
    const policies = { after_end: { text: 'This conversation is over.' } };
    const bank = await openBank(format, {
      lifecycle: compile(JSON.stringify({ ...conversationLifecycle, policies })),
      onReply: async (message) => {
        if (message === 'yes, close it') await bank.receive({ text: 'thanks' });
      },
    });
    for (const text of ['yes', 'I live in Oslo', 'yes, close it']) {
      await bank.receive({ text });
      await bank.host.settle();
    }
    expect(await bank.host.get('a')).toMatchObject({ ended: true, state: 'COMPLETED' });
    expect(bank.sent.map(({ text }) => text.slice(0, 5)).slice(-2)).toEqual(['Close', 'This ']);
    await bank.receive({ text: 'bye' });
    await bank.host.settle();
    expect(bank.sent.filter(({ text }) => text.startsWith('This'))).toHaveLength(1);
  },
);

test('facts of an outage are kept, and no question is answered by them', async () => {
  const bank = await openBank('plan', {
    beforeAnswer: async () => {
      await bank.receive({ text: 'yes?' });
      await bank.receive({ text: 'I live in Oslo' });
    },
  });
  await bank.receive({ text: 'yes' });
  await bank.host.settle();
  expect(await bank.isClosed()).toBe(false);
  expect(await bank.events()).toContainEqual(
    expect.objectContaining({
      type: 'deliverable.volunteered',
      deliverable: 'city',
      value: 'Oslo',
    }),
  );
  const early = bank.reads.find((read) => read.port === 'extract' && read.early);
  // Judged on what was said up to it: without the question that the person had not seen.
  expect(early?.message).toBe('I live in Oslo');
  expect(early?.lines.map(({ text, isNew }) => [text.slice(0, 14), isNew])).toEqual([
    ['Hear your bala', undefined],
    ['yes', undefined],
    ['yes?', true],
    ['I live in Oslo', true],
  ]);
  const reply = bank.reads.at(-1);
  expect(reply).toMatchObject({ port: 'reply', early: true });
  expect(reply?.lines.at(-1)).toMatchObject({ role: 'agent' });
});

test('a time of the provider, a quote and a button say which question a message belongs to', async () => {
  for (const [more, isClosed] of [
    [{}, true],
    [{ sentAt: 1_799_999_990_000 }, false],
    [{ sentAt: 1_800_000_000_000 }, true],
    [{ replyTo: 'first' }, false],
    [{ replyTo: 'second' }, true],
    [{ replyTo: 'something else' }, true],
    [{ replyTo: 'second', sentAt: 1_799_999_990_000 }, true],
    [{ data: { replaces: 'first' } }, false],
    [{ data: { replaces: 'first' }, replyTo: 'second' }, false],
    [{ data: { replaces: 'unknown' } }, false],
  ] as const) {
    const bank = await openBank('plan');
    await bank.receive({ id: 'first', text: 'yes' });
    await bank.host.settle();
    const ids: Record<string, string> = { first: bank.sent[0]!.id, second: bank.sent.at(-1)!.text };
    const { replyTo } = more as Partial<Message>;
    await bank.receive({
      text: 'yes',
      ...more,
      ...(replyTo && { replyTo: ids[replyTo] ?? replyTo }),
    });
    await bank.host.settle();
    expect([more, await bank.isClosed()]).toEqual([more, isClosed]);
  }
});

test('an edited line is marked in its place, and the edit says what it replaces', async () => {
  const bank = await openBank('plan');
  await bank.receive({ id: 'm-1', text: 'yes' });
  await bank.host.settle();
  const data = { replaces: 'm-1' };
  await Promise.all(['no', 'no thanks'].map((text) => bank.receive({ text, data })));
  await bank.host.settle();
  const read = bank.reads.at(-1)!;
  expect(read).toMatchObject({ port: 'reply', early: true });
  const own = read.lines.filter(({ role }) => role === 'contact');
  expect(own.map(({ text, isReplaced, replaces }) => [text, isReplaced, replaces])).toEqual([
    ['yes', true, undefined],
    ['no', true, 'yes'],
    ['no thanks', undefined, 'yes'],
  ]);
});

test.each(Object.keys(stores))('%s: it is known after a kill', async (store) => {
  const bank = await openBank('plan', {
    store: stores[store]!(),
    beforeShown: async () => {
      await bank.receive({ text: 'yes' });
      // The process is killed before the provider has answered.
      return new Promise(() => {});
    },
  });
  await bank.receive({ text: 'yes' });
  await until(async () => bank.reads.at(-1)?.early === true, 'the message to be read');
  await bank.reopen();
  await bank.host.settle();
  expect(await bank.isClosed()).toBe(false);
  await bank.receive({ text: 'yes' });
  await bank.host.settle();
  expect(await bank.isClosed()).toBe(true);
});

test.each([
  ['during the turn', true],
  ['while it waits', false],
] as const)(
  'what an operator has answered %s is read in its place, and is not new',
  async (_, isMidTurn) => {
    const answer = async () => {
      await bank.host.takeOver('a', { by: 'ana' });
      if (!isMidTurn) await bank.receive({ text: 'Do you deliver?' });
      await bank.host.intervene('a', 'Yes, we do.', { by: 'ana' });
    };
    const bank = await openBank('plan', isMidTurn ? { beforeAnswer: answer } : {});
    if (isMidTurn) await bank.receive({ text: 'Do you deliver?' });
    else await answer();
    await bank.host.settle();
    await bank.host.handBack('a', { by: 'ana' });
    await bank.host.settle();
    const { lines, port } = bank.reads.at(-1)!;
    expect(port).toBe('reply');
    expect(lines.map(({ role, text, isNew }) => [role, text.slice(0, 18), isNew])).toEqual([
      ['agent', 'Hear your balance?', undefined],
      ['contact', 'Do you deliver?', false],
      ['manual', 'Yes, we do.', undefined],
    ]);
  },
);

/** Where a message arrives: before the first answer is read, before the second question is written, while it is with its channel, later. */
const places = ['answer', 'question', 'channel', 'later'] as const;
const kinds = ['bare', 'fact', 'quotes the first', 'quotes the second'] as const;

interface Line {
  readonly place: (typeof places)[number];
  readonly kind: (typeof kinds)[number];
}

const lines: Line[] = places.flatMap((place, index) =>
  kinds
    .filter((kind) => index >= 2 || kind !== 'quotes the second')
    .map((kind) => ({ place, kind })),
);
const order = ({ place }: Line) => places.indexOf(place);

/** All ways in which up to three messages arrive. */
function* arrivals(most = 3, from = 0): Generator<readonly Line[]> {
  yield [];
  if (most === 0) return;
  for (const line of lines.filter((each) => order(each) >= from))
    for (const rest of arrivals(most - 1, order(line))) yield [line, ...rest];
}

const cases = [false, true].flatMap((refuses) =>
  Array.from(arrivals(), (each) => ({ lines: each, refuses })),
);

/** All ways of one message and every thirtieth of more; in the short tests, every hundredth of all. */
const chosen = cases.filter((each, index) =>
  runsAll ? each.lines.length < 2 || index % 30 === 0 : index % 100 === 0,
);

describe.each(formats)('%s: up to three messages around a second question', (format) => {
  test.each(chosen.map((each) => [JSON.stringify(each), each] as const))(
    '%s',
    async (_, { lines: given, refuses }) => {
      const texts = given.map(({ kind }, index) =>
        kind === 'fact' ? `I live in Oslo${index}` : ['yes', 'yes, please', 'ok'][index]!,
      );
      const send = async (place: Line['place']) => {
        for (const [index, line] of given.entries()) {
          if (line.place !== place) continue;
          const quoted =
            line.kind === 'quotes the first'
              ? bank.sent[0]
              : bank.sent.find(({ text }) => text.startsWith('Close'));
          await bank.receive({
            text: texts[index]!,
            ...(line.kind.startsWith('quotes') && { replyTo: quoted!.id }),
          });
        }
      };
      const bank = await openBank(format, {
        beforeAnswer: () => send('answer'),
        beforeQuestion: () => send('question'),
        beforeShown: () => send('channel'),
        refuses,
      });
      await bank.receive({ text: 'Yes!' });
      await bank.host.settle();
      await send('later');
      await bank.host.settle();

      const answers = given.filter(
        ({ place, kind }) => kind === 'quotes the second' || (kind === 'bare' && place === 'later'),
      );
      const isClosed = await bank.isClosed();
      // A refusal, or a reply to another message, asks the question once more.
      const isSilent = ({ kind, place }: Line) =>
        kind !== 'fact' && (place === 'answer' || place === 'question');
      const isSimple = !refuses && given.every((each) => answers.includes(each) || isSilent(each));
      expect(isClosed).toBe(answers.length > 0 && (isSimple || isClosed));
      const judged = bank.reads.filter(({ port }) => port === 'extract' || port === 'choose');
      const problems = given.filter(({ kind, place }, index) => {
        const readers = judged.filter(({ message }) =>
          message?.split('\n').includes(texts[index]!),
        );
        if (kind === 'fact')
          return readers.length > 1 || (format === 'plan' && !isClosed && readers.length === 0);
        const isEarly = kind !== 'quotes the second' && place !== 'later';
        return (
          readers.length > 1 ||
          (isEarly && readers.some(({ mayClose, early }) => mayClose && !early))
        );
      });
      expect(problems).toEqual([]);
      // Every call reads all lines once, in the order of the transcript.
      const stored = (await bank.host.transcript('a', { from: 0, limit: 1_000 }))
        .filter(({ role }) => role !== 'system')
        .map(({ text }) => text);
      for (const read of bank.reads)
        expect(read.lines.map(({ text }) => text)).toEqual(stored.slice(0, read.lines.length));
    },
  );
});
