import { expect } from 'vitest';
import { aWhile, type Fact, until } from './stage.ts';

/** Conversations from the first message to the last. */
export function turns(fact: Fact): void {
  fact('an instance is stored before its agent has said anything', async ({ host, agent }) => {
    const { id, state } = await host.start('chat', { id: 'a', contact: 'ada' });
    expect([id, state]).toEqual(['a', 'ACTIVE']);
    await until(() => agent.open.length === 1, 'the first call');
    expect((await host.get('a')).state).toBe('ACTIVE');
  });

  fact('a message is answered, and the answer is delivered', async (stage) => {
    await stage.greeted('a', 'ada');
    const routed = await stage.host.receive({ contact: 'ada', text: 'Hi.', id: 'm1' });
    expect(routed).toMatchObject({ instance: 'a', accepted: true });
    const call = await stage.agent.answer('How are you?');
    expect(call.input.message).toBe('Hi.');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    expect(await stage.said('a')).toEqual([
      'agent: Hello from a.',
      'contact: Hi.',
      'agent: How are you?',
    ]);
    await until(() => stage.channel.taken.length === 2, 'the delivery');
    expect(await stage.way('a')).toEqual([
      'CREATED',
      'ACTIVE',
      'WAITING_FOR_REPLY',
      'WAITING_FOR_AGENT',
      'ACTIVE',
      'WAITING_FOR_REPLY',
    ]);
  });

  fact('messages that come during a turn are answered by the next one, in order', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'one' });
    await stage.agent.next();
    await stage.host.receive({ contact: 'ada', text: 'two' });
    await stage.host.receive({ contact: 'ada', text: 'three' });
    expect(stage.agent.open).toHaveLength(1);
    await stage.agent.answer('to one');
    const call = await stage.agent.answer('to both');
    expect(call.input.message).toBe('two\nthree');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    expect(await stage.said('a')).toEqual([
      'agent: Hello from a.',
      'contact: one',
      'contact: two',
      'contact: three',
      'agent: to one',
      'agent: to both',
    ]);
  });

  fact(
    'a call receives the latest lines of the transcript, without system lines',
    async (stage) => {
      await stage.greeted('a', 'ada');
      await stage.host.receive({ contact: 'ada', text: 'one' });
      await stage.agent.answer('to one');
      await stage.reaches('a', 'WAITING_FOR_REPLY');
      await stage.host.receive({ contact: 'ada', text: 'two' });
      const { transcript } = await stage.agent.next();
      const said = async (last: number) =>
        (await transcript!(last)).map(({ role, text }) => `${role}: ${text}`);
      const all = ['agent: Hello from a.', 'contact: one', 'agent: to one', 'contact: two'];
      expect(await said(100)).toEqual(all);
      expect(await said(3)).toEqual(all.slice(1));
      expect(await said(0)).toEqual([]);
      await stage.agent.answer('to two');
    },
  );

  fact('a message that is delivered twice is one message', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'Hi.', id: 'm1' });
    const again = await stage.host.receive({ contact: 'ada', text: 'Hi.', id: 'm1' });
    expect(again).toMatchObject({ accepted: false });
    await stage.agent.answer('Hello again.');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    await aWhile();
    expect(stage.agent.open).toHaveLength(0);
    expect(await stage.said('a')).toEqual([
      'agent: Hello from a.',
      'contact: Hi.',
      'agent: Hello again.',
    ]);
  });

  fact('the conversation ends when its agent ends it, once the farewell is out', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'Bye.' });
    await stage.agent.answer({ text: 'Goodbye.', toolCalls: [{ name: 'end', arguments: {} }] });
    await stage.reaches('a', 'COMPLETED');
    await until(() => stage.channel.texts.includes('Goodbye.'), 'the farewell');
    expect((await stage.host.get('a')).lifecycle).toMatchObject({ end_reason: 'completed' });
  });

  fact(
    'a failing agent leads to a request for a person, and the message is not lost',
    async (stage) => {
      await stage.greeted('a', 'ada');
      await stage.host.receive({ contact: 'ada', text: 'Hi.' });
      await stage.agent.fail('no credit');
      await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
      expect((await stage.host.get('a')).lifecycle['intervention_reason']).toContain('no credit');
      await stage.host.resume('a');
      const call = await stage.agent.answer('Sorry for the wait.');
      expect(call.input.message).toBe('Hi.');
      await stage.reaches('a', 'WAITING_FOR_REPLY');
    },
  );

  fact('a conversation that the contact begins answers what was written first', async (stage) => {
    const message = { text: 'Anybody there?', id: 'm1' };
    await stage.host.start('chat', { id: 'a', contact: 'ada', message });
    await stage.agent.answer('Hello.');
    const call = await stage.agent.answer('Yes, I am.');
    expect(call.input.message).toBe('Anybody there?');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    expect(await stage.said('a')).toEqual([
      'contact: Anybody there?',
      'agent: Hello.',
      'agent: Yes, I am.',
    ]);
  });

  fact('an agent may ask for a person, and for another time to remind', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.agent.answer({
      text: 'Back in an hour.',
      toolCalls: [{ name: 'schedule_next_heartbeat', arguments: { delay_ms: 3_600_000 } }],
    });
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    const { dueAt, updatedAt } = await stage.host.get('a');
    expect(dueAt! - updatedAt).toBeGreaterThan(3_500_000);
    await stage.host.receive({ contact: 'ada', text: 'I am angry.' });
    await stage.agent.answer({
      text: 'I see.',
      toolCalls: [{ name: 'request_human_intervention', arguments: { reason: 'angry' } }],
    });
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect((await stage.host.get('a')).lifecycle).toMatchObject({ intervention_reason: 'angry' });
  });

  fact('a message from a contact without a conversation is unhandled', async ({ host }) => {
    expect(await host.receive({ contact: 'nobody', text: 'Hi.' })).toMatchObject({
      instance: null,
      code: 'host/no-holder',
    });
  });
}
