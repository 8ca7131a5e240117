import { RetryLaterError } from '@dramaturg/host';
import { expect } from 'vitest';
import { type Fact, type HostStage, until } from './stage.ts';

const contacts = ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay', 'gus', 'hal'];

/** Starts a conversation with each contact. The id of the conversation is the contact. */
async function startAll({ host }: HostStage, channel = 'main'): Promise<void> {
  for (const contact of contacts) await host.start('chat', { id: contact, contact, channel });
}

async function undelivered({ host }: HostStage): Promise<string[]> {
  const views = await Promise.all(contacts.map((id) => host.get(id)));
  return views.flatMap((view) => view.undelivered);
}

/** The agent answers every call immediately. */
const talkative = { ports: { reply: ({ key }: { key: string }) => ({ text: `Answer ${key}.` }) } };

/** Work is bounded, and waiting instances are not in memory. */
export function boundedWork(fact: Fact): void {
  fact('calls beyond the concurrency of their port wait', async (stage) => {
    await stage.reopen({ callConcurrency: 2 });
    await startAll(stage);
    await until(() => stage.agent.open.length === 2, 'two calls');
    const answered: string[] = [];
    while (answered.length < contacts.length) {
      expect(stage.agent.open.length).toBeLessThanOrEqual(2);
      answered.push((await stage.agent.answer('Hello.')).key.split('/')[0]!);
    }
    expect(answered.toSorted()).toEqual(contacts.toSorted());
    for (const contact of contacts) await stage.reaches(contact, 'WAITING_FOR_REPLY');
  });

  fact('an instance whose call waits is evicted, and called when it is its turn', async (stage) => {
    await stage.reopen({ callConcurrency: { reply: 1 }, maxActive: 0 });
    await startAll(stage);
    await stage.agent.next();
    await until(() => stage.host.activeCount === 1, 'the others to be evicted');
    for (const _ of contacts) await stage.agent.answer('Hello.');
    for (const contact of contacts) await stage.reaches(contact, 'WAITING_FOR_REPLY');
    const calls = contacts.map((contact) => `${contact}/0/reply`);
    expect(stage.agent.made.toSorted()).toEqual(calls.toSorted());
  });

  fact(
    'calls that wait are made in the order in which their instances have started',
    async (stage) => {
      await stage.reopen({ callConcurrency: 1 });
      await startAll(stage);
      const answered: string[] = [];
      while (answered.length < contacts.length)
        answered.push((await stage.agent.answer('Hello.')).key.split('/')[0]!);
      expect(answered).toEqual(contacts);
    },
  );

  fact('a call that waits is not made when its instance was cancelled', async (stage) => {
    await stage.reopen({ callConcurrency: 1, maxActive: 0 });
    await startAll(stage);
    await stage.agent.next();
    await stage.host.cancel('bob');
    for (let index = 1; index < contacts.length; index += 1) await stage.agent.answer('Hello.');
    expect(await stage.host.settle()).toBe(true);
    expect(stage.agent.made).not.toContain('bob/0/reply');
  });

  fact('a call without an answer fails the turn after its time limit', async (stage) => {
    await stage.reopen({ callTimeout: { reply: 40 } });
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect(stage.agent.signals.map(({ aborted }) => aborted)).toEqual([true]);
    const { lifecycle } = await stage.host.get('a');
    expect(lifecycle['intervention_reason']).toContain('did not answer within 40 ms');
    await stage.reopen();
    await stage.host.resume('a');
    await stage.answers('a', 'Hello.');
    expect(stage.agent.made).toEqual(['a/0/reply', 'a/0/reply']);
  });

  fact('a channel gets no more messages at the same time than its concurrency', async (stage) => {
    const counts = { running: 0, most: 0 };
    stage.channel.behave = async () => {
      counts.running += 1;
      counts.most = Math.max(counts.most, counts.running);
      // A slow machine takes a while until three messages are ready. A later message does not wait for others.
      await until(() => counts.most >= 3, 'three deliveries at the same time');
      counts.running -= 1;
    };
    await stage.reopen({ ...talkative, deliveryConcurrency: { main: 3 } });
    await startAll(stage);
    await until(() => stage.channel.taken.length === contacts.length, 'the deliveries');
    expect(counts.most).toBe(3);
  });

  fact(
    'a message that its channel accepts later is not tried before, and others are',
    async (stage) => {
      const delayMs = 1_000;
      const triedAt: number[] = [];
      stage.channel.behave = ({ instance }) => {
        if (instance !== 'a') return;
        triedAt.push(performance.now());
        // Fails twice, and on a slow machine more often: until the other message has come.
        const isOther = stage.channel.taken.some((each) => each.instance === 'b');
        if (triedAt.length < 2 || !isOther)
          throw new RetryLaterError('Too many messages.', delayMs);
      };
      await stage.host.start('chat', { id: 'a', contact: 'Ada' });
      await stage.agent.answer('Hello.');
      await stage.host.start('chat', { id: 'b', contact: 'Bob' });
      await stage.agent.answer('Hello.');
      await until(() => stage.channel.taken.length === 2, 'both deliveries');

      expect(stage.channel.taken.map(({ instance }) => instance)).toEqual(['b', 'a']);
      const waits = triedAt.slice(1).map((at, index) => at - triedAt[index]!);
      // Timers of Node may fire a little early.
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(delayMs - 10);
    },
  );

  fact('in an outage few messages are tried, all wait without memory', async (stage) => {
    stage.channel.isDown = true;
    const healthy: string[] = [];
    const other = { deliver: ({ text }: { text: string }) => void healthy.push(text) };
    const channels = { main: stage.channel, other };
    await stage.reopen({ ...talkative, channels, deliveryConcurrency: 2, maxActive: 0 });
    await startAll(stage);
    for (const contact of contacts) await stage.reaches(contact, 'WAITING_FOR_REPLY');
    await until(() => stage.channel.called.length >= 5, 'the outage to be noticed');
    await until(() => stage.host.activeCount === 0, 'the instances to be evicted');
    await stage.host.start('chat', { id: 'z', contact: 'zoe', channel: 'other' });
    await until(() => healthy.length === 1, 'the delivery through the other channel');
    // Five failures open the circuit breaker, another call may have been running, and then come probes.
    expect(new Set(stage.channel.called).size).toBeLessThan(contacts.length);
    expect(await undelivered(stage)).toHaveLength(contacts.length);
    // Failures of one kind are reported together; on a slow machine, later ones in another report.
    expect(stage.trouble.length).toBeGreaterThan(0);
    expect(stage.trouble.length).toBeLessThan(stage.channel.called.length);

    for (const contact of contacts) await stage.host.receive({ contact, text: 'Hi.' });
    for (const contact of contacts)
      await until(async () => (await stage.said(contact)).length === 3, 'the second answers');
    stage.channel.isDown = false;
    await until(() => stage.channel.taken.length === 2 * contacts.length, 'all deliveries');
    expect(await stage.host.settle()).toBe(true);
    expect(await undelivered(stage)).toEqual([]);
    for (const contact of contacts)
      expect(
        stage.channel.taken.flatMap((each) => (each.instance === contact ? each.id : [])),
      ).toEqual([`${contact}/0/reply`, `${contact}/1/reply`]);
  });

  fact('a host that stops in an outage keeps all messages for the next one', async (stage) => {
    stage.channel.isDown = true;
    await stage.reopen({ ...talkative, maxActive: 0 });
    await startAll(stage);
    for (const contact of contacts) await stage.reaches(contact, 'WAITING_FOR_REPLY');
    await until(() => stage.channel.called.length >= 5, 'the outage to be noticed');
    await stage.host.stop({ within: 10 });
    stage.channel.isDown = false;
    await stage.open(talkative);
    expect(await stage.host.settle()).toBe(true);
    expect(stage.channel.taken.map(({ id }) => id).toSorted()).toEqual(
      contacts.map((contact) => `${contact}/0/reply`),
    );
    expect(await undelivered(stage)).toEqual([]);
  });

  fact(
    'a message by hand is tried at once in an outage, and ends it if it arrives',
    async (stage) => {
      await stage.greeted('z', 'zoe');
      stage.channel.isDown = true;
      await stage.reopen(talkative);
      await startAll(stage);
      await until(() => stage.channel.called.length >= 6, 'the outage to be noticed');
      const answer = await stage.host.intervene('z', 'A note.');
      expect(answer.accepted ? '' : answer.because).toContain('not connected');
      stage.channel.isDown = false;
      expect(await stage.host.intervene('z', 'Another note.')).toMatchObject({ accepted: true });
      await until(() => stage.channel.taken.length === contacts.length + 2, 'all deliveries');
    },
  );
}
