import { PortError, type Usage } from '@dramaturg/compiler';
import { expect } from 'vitest';
import { aWhile, type Fact, type HostStage, until } from './stage.ts';

const usage = (changes: Partial<Usage> = {}): Usage => ({
  model: 'm',
  requests: 1,
  inputTokens: 100,
  outputTokens: 20,
  ...changes,
});

const usageRecorded = { source: 'host', type: 'usage.recorded' };

/** The events of the journal with the cost of calls. */
async function recorded({ host }: HostStage, id: string): Promise<unknown[]> {
  const lines = await host.journal(id, { from: 0, limit: 1_000 });
  return (lines as unknown as { source: string; event: { type: string } }[])
    .filter(({ event }) => event.type === 'usage.recorded')
    .map(({ source, event }) => ({ source, ...event }));
}

/** A conversation whose contact has written repeatedly, until a call is refused. */
async function refusedAfter(stage: HostStage, answers: readonly Partial<Usage>[]): Promise<string> {
  await stage.host.start('chat', { id: 'a', contact: 'ada' });
  for (const [turn, changes] of answers.entries()) {
    if (turn > 0) await stage.host.receive({ contact: 'ada', text: 'And now?' });
    await stage.answers('a', { text: `Answer ${turn}.`, usage: usage(changes) });
  }
  await stage.host.receive({ contact: 'ada', text: 'And now?' });
  await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
  expect(stage.agent.made).toHaveLength(answers.length);
  const { lifecycle } = await stage.host.get('a');
  return JSON.stringify(lifecycle);
}

/** Usage of calls, and calls that limits prevent. */
export function limits(fact: Fact): void {
  fact('the usage of an answer is reported once, and counted across a restart', async (stage) => {
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.answers('a', { text: 'Hello.', usage: usage() });
    await stage.reopen();
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.answers('a', { text: 'Well?', usage: usage({ requests: 2, cost: 0.5 }) });
    await stage.reopen();
    expect(await recorded(stage, 'a')).toEqual([
      { ...usageRecorded, port: 'reply', key: 'a/0/reply', ...usage() },
      { ...usageRecorded, port: 'reply', key: 'a/1/reply', ...usage({ requests: 2, cost: 0.5 }) },
    ]);
    expect((await stage.host.get('a')).used).toMatchObject({
      calls: 2,
      requests: 3,
      inputTokens: 200,
      outputTokens: 40,
      cost: 0.5,
    });
  });

  fact('H4: a call that is repeated after a restart is counted once', async (stage) => {
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.next();
    stage.agent.forget();
    await stage.reopen();
    await stage.answers('a', { text: 'Hello.', usage: usage() });
    expect(await recorded(stage, 'a')).toHaveLength(1);
    expect((await stage.host.get('a')).used).toMatchObject({ calls: 1, inputTokens: 100 });
  });

  fact('the usage of a failed call is counted too', async (stage) => {
    await stage.host.start('job', { id: 'j' });
    const error = new PortError('port/failed', 'runAgent', 'Cut off.', { usage: usage() });
    await stage.agent.fail(error);
    await stage.reaches('j', 'FAILED');
    expect(await recorded(stage, 'j')).toEqual([
      { ...usageRecorded, port: 'runAgent', key: 'j/first', ...usage() },
    ]);
    expect((await stage.host.get('j')).used).toMatchObject({ calls: 1, outputTokens: 20 });
  });

  fact('waiting for a time or a person does not count as a call', async (stage) => {
    await stage.reopen({ limits: { calls: 2 } });
    await stage.host.start('job', { id: 'j', input: { wait: 5 } });
    await stage.agent.finish('first');
    await until(async () => (await stage.host.get('j')).flow === 'asking', 'the question');
    await stage.host.send('j', { type: 'decision.made', decision: 'yes' });
    await stage.agent.finish('second');
    await stage.reaches('j', 'COMPLETED');
    expect((await stage.host.get('j')).used).toMatchObject({ calls: 2 });
  });

  fact('a call above the limit is not made, and a person is asked for', async (stage) => {
    await stage.reopen({ limits: { calls: 2 } });
    expect(await refusedAfter(stage, [{}, {}])).toContain(
      'The limit of calls is reached: 2 of 2 used. To go on, raise limits.calls (--max-calls).',
    );
  });

  fact('tokens are limited across a restart', async (stage) => {
    await stage.reopen({ limits: { tokens: 240 } });
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.answers('a', { text: 'Hello.', usage: usage({ inputTokens: 300 }) });
    await stage.reopen({ limits: { tokens: 240 } });
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect(JSON.stringify((await stage.host.get('a')).lifecycle)).toContain(
      'The limit of tokens is reached: 320 of 240 used.',
    );
    expect(stage.agent.made).toHaveLength(1);
  });

  fact('a conversation goes on once its limit is raised', async (stage) => {
    await stage.reopen({ limits: { calls: 1 } });
    await refusedAfter(stage, [{}]);
    await stage.reopen({ limits: { calls: 2 } });
    await aWhile();
    expect(stage.agent.made).toHaveLength(1);
    await stage.host.resume('a');
    const { input } = await stage.agent.answer('Here I am.');
    expect(input.message).toBe('And now?');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
  });

  fact('money is counted by the prices of models', async (stage) => {
    const prices = { m: { input: 10_000, output: 50_000 } };
    await stage.reopen({ limits: { cost: 3, prices } });
    const dated = { model: 'm-2025-08-07' };
    expect(await refusedAfter(stage, [{}, dated])).toContain(
      'The limit of cost is reached: 4 of 3 used.',
    );
    expect(await recorded(stage, 'a')).toEqual([
      { ...usageRecorded, port: 'reply', key: 'a/0/reply', ...usage({ cost: 2 }) },
      { ...usageRecorded, port: 'reply', key: 'a/1/reply', ...usage({ ...dated, cost: 2 }) },
    ]);
    expect((await stage.host.get('a')).used.cost).toBe(4);
  });

  fact('with a cost limit, a model without a price is called once', async (stage) => {
    await stage.reopen({ limits: { cost: 3, prices: { other: { input: 1, output: 1 } } } });
    expect(await refusedAfter(stage, [{}])).toContain(
      'the price of the model \\"m\\" is unknown. Give its price in limits.prices (--prices).',
    );
  });

  fact('a call that takes too long is aborted', async (stage) => {
    await stage.reopen({ limits: { call: { time: 30 } } });
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect(stage.agent.signals.map(({ aborted }) => aborted)).toEqual([true]);
    const { lifecycle, used } = await stage.host.get('a');
    expect(JSON.stringify(lifecycle)).toContain('"reply\\" did not answer within 30 ms.');
    expect(used.calls).toBe(1);
    expect(used.time).toBeGreaterThanOrEqual(29);
  });

  fact('an answer above the limit of a call is counted and dropped', async (stage) => {
    await stage.reopen({ limits: { call: { tokens: 110 } } });
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.answer({ text: 'Hello.', usage: usage() });
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect(await stage.said('a')).toEqual([]);
    const { lifecycle, used } = await stage.host.get('a');
    expect(JSON.stringify(lifecycle)).toContain(
      'The answer of \\"reply\\" took 120 tokens, and a call may take 110.',
    );
    expect(used).toMatchObject({ calls: 1, inputTokens: 100, outputTokens: 20 });
    expect(await recorded(stage, 'a')).toHaveLength(1);
  });

  fact('invalid limits are refused at once', async (stage) => {
    await stage.host.stop();
    const misspelt = { token: 5 } as object;
    await expect(stage.open({ limits: misspelt })).rejects.toThrow(TypeError);
    await expect(stage.open({ limits: { call: { time: -1 } } })).rejects.toThrow(
      'The limits are wrong at call.time: ',
    );
    await stage.open();
  });
}

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
  fact.greeted('H1 H3: messages that arrive at once are stored in order', async (stage) => {
    await stage.host.pause('a');
    const ids = idsOf(500);
    const answers = await receiveAll(stage, ids);
    expect(answers).toEqual(ids.map(() => ({ instance: 'a', accepted: true, state: 'PAUSED' })));
    expect(await receivedBy(stage, 'a')).toEqual(ids);
    await stage.reopen();
    expect(await receivedBy(stage, 'a')).toEqual(ids);
  });

  fact.greeted('H1: a message that waits, or came lately, is accepted once', async (stage) => {
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
    await stage.answers('a', 'Yes.');
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

  fact.greeted(
    "messages that an instance misses because it ends are the next one's, in order",
    async (stage) => {
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

  fact.greeted('other contacts go on while one sends without end', async (stage) => {
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
