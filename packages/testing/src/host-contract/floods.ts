import { expect } from 'vitest';
import { type Fact, type HostStage, until } from './stage.ts';

const idsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => `m${from + index}`);

const receive = ({ host }: HostStage, id: string) =>
  host.receive({ contact: 'ada', id, text: `text of ${id}` });

const receiveAll = (stage: HostStage, ids: readonly string[]) =>
  Promise.all(ids.map((id) => receive(stage, id)));

async function receivedBy({ host }: HostStage, id: string): Promise<string[]> {
  const lines = await host.transcript(id, { from: 0, limit: 10_000 });
  return lines.flatMap((line) => (line.role === 'contact' ? [line.id] : []));
}

/** Many simultaneous messages of one contact. */
export function floods(fact: Fact): void {
  fact('H1 H3: messages that arrive at once are stored in order', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.pause('a');
    const ids = idsOf(500);
    const answers = await receiveAll(stage, ids);
    expect(answers).toEqual(ids.map(() => ({ instance: 'a', accepted: true, state: 'PAUSED' })));
    expect(await receivedBy(stage, 'a')).toEqual(ids);
    await stage.reopen();
    expect(await receivedBy(stage, 'a')).toEqual(ids);
  });

  fact('H1: a message that waits, or came lately, is accepted once', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.pause('a');
    const ids = idsOf(200);
    await receiveAll(stage, ids);
    const expectAllRepeated = async () => {
      for (const answer of await receiveAll(stage, ids))
        expect(answer).toMatchObject({ accepted: false, code: 'message/repeated' });
    };
    await expectAllRepeated();
    await stage.reopen();
    await expectAllRepeated();
    await stage.host.resume('a');
    await stage.agent.answer('Yes.');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    await expectAllRepeated();
    await stage.reopen();
    await expectAllRepeated();
    expect(await receivedBy(stage, 'a')).toEqual(ids);
  });

  fact('messages before and after a start are routed in the order of the calls', async (stage) => {
    const { host } = stage;
    const before = receiveAll(stage, idsOf(5));
    const started = host.start('chat', { id: 'a', contact: 'ada' });
    const after = receiveAll(stage, idsOf(5, 5));
    await started;
    for (const answer of await before) expect(answer).toMatchObject({ code: 'host/no-holder' });
    for (const answer of await after)
      expect(answer).toMatchObject({ instance: 'a', accepted: true });
    expect(await receivedBy(stage, 'a')).toEqual(idsOf(5, 5));
  });

  fact(
    "messages that an instance misses because it ends are the next one's, in order",
    async (stage) => {
      await stage.greeted('a', 'ada');
      await stage.host.start('chat', { id: 'b', contact: 'ada' });
      const ids = idsOf(300);
      const first = receiveAll(stage, ids.slice(0, 100));
      const cancelled = stage.host.cancel('a');
      const rest = receiveAll(stage, ids.slice(100));
      await cancelled;
      for (const answer of [...(await first), ...(await rest)])
        expect(answer).toMatchObject({ accepted: true });
      const [ofA, ofB] = [await receivedBy(stage, 'a'), await receivedBy(stage, 'b')];
      expect([...ofA, ...ofB]).toEqual(ids);
      expect(ofB.length).toBeGreaterThan(0);
    },
  );

  fact('an inbox is limited by the size of its texts', async (stage) => {
    await stage.reopen({ inbox: { size: 100 } });
    await stage.greeted('a', 'ada');
    await stage.host.pause('a');
    const say = (length: number) =>
      stage.host.receive({ contact: 'ada', text: 'x'.repeat(length) });
    expect(await say(1_000)).toMatchObject({ accepted: true });
    const refused = { accepted: false, code: 'message/inbox-full', retryAfterMs: 60_000 };
    expect(await say(1)).toMatchObject(refused);
    await stage.host.resume('a');
    expect(await say(100)).toMatchObject({ accepted: true });
    // A turn is running, so there will soon be room.
    expect(await say(1)).toMatchObject({ ...refused, retryAfterMs: 1_000 });
    await stage.agent.answer('Yes.');
    expect((await stage.agent.answer('Yes.')).input.message).toBe('x'.repeat(100));
    expect(await say(1)).toMatchObject({ accepted: true });
  });

  fact(
    'events that wait in memory are limited, and the refusal says when to try again',
    async (stage) => {
      await stage.reopen({ inbox: { messages: 5 } });
      await stage.greeted('a', 'ada');
      const busy = (answers: readonly object[]) =>
        answers.filter((answer) => 'code' in answer && answer.code === 'host/busy');
      const answers = await receiveAll(stage, idsOf(20));
      expect(busy(answers)).toHaveLength(15);
      expect(busy(answers)[0]).toEqual({
        instance: null,
        accepted: false,
        code: 'host/busy',
        because: 'Too many messages of the contact wait. Send it again in 1 s.',
        retryAfterMs: 1_000,
      });
      const events = Array.from({ length: 20 }, () => stage.host.send('a', { type: 'unheard.of' }));
      expect(busy(await Promise.all(events))).toHaveLength(15);
      expect(await receivedBy(stage, 'a')).toEqual(idsOf(5));
    },
  );

  fact('other contacts go on while one sends without end', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.greeted('b', 'bob');
    const called = new AbortController();
    // Two senders keep the queue full: a host that serves it first would serve no other instance.
    const senders = ['one', 'other'].map(async (sender) => {
      for (let wave = 0; !called.signal.aborted; wave += 1)
        await receiveAll(
          stage,
          idsOf(500).map((id) => `${sender} ${wave} ${id}`),
        );
    });
    await stage.host.receive({ contact: 'bob', text: 'Hi.' });
    await until(() => stage.agent.open.some(({ key }) => key.startsWith('b/')), 'the call of b');
    called.abort();
    await Promise.all(senders);
  });

  fact('invalid limits of the inbox are refused at once', async (stage) => {
    await stage.host.stop();
    await expect(stage.open({ inbox: { message: 5 } as object })).rejects.toThrow(TypeError);
    await expect(stage.open({ inbox: { size: 0 } })).rejects.toThrow(
      'The limits of the inbox are wrong at size: ',
    );
    await stage.open();
  });
}
