import { expect } from 'vitest';
import { type Fact, type HostStage, until } from './stage.ts';

const help = { name: 'request_human_intervention', arguments: { reason: 'angry' } };
const bye = { name: 'end_conversation', arguments: { reason: 'all is said' } };

const names = [
  'end_conversation',
  'mark_todo_item',
  'request_human_intervention',
  'schedule_next_heartbeat',
];

/** The refusals in the journal. */
async function refused({ host }: HostStage, id: string): Promise<unknown[]> {
  const lines = await host.journal(id, { from: 0, limit: 1_000 });
  return (lines as unknown as { event: { type: string; event: string } }[])
    .filter(({ event }) => event.type === 'event.refused')
    .map(({ event }) => event.event);
}

async function agentLines(stage: HostStage): Promise<string[]> {
  return (await stage.said('a')).filter((line) => line.startsWith('agent'));
}

/** A turn with two messages for the conversation, because together they are too long for one. */
async function waitingForTwoAnswers(stage: HostStage): Promise<void> {
  await stage.greeted('a', 'ada');
  await stage.host.pause('a');
  for (const letter of ['x', 'y'])
    await stage.host.send('a', { type: 'message.received', text: letter.repeat(60_000) });
  await stage.host.resume('a');
}

/** Tool calls of an agent next to its text. */
export function agentTools(fact: Fact): void {
  fact('text sent along with a request for a person reaches the contact first', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'I am angry.' });
    await stage.agent.answer({ text: 'Let me find somebody.', toolCalls: [help] });
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    await until(() => stage.channel.texts.length === 2, 'the words');
    expect(await stage.said('a')).toEqual([
      'agent: Hello from a.',
      'contact: I am angry.',
      'agent: Let me find somebody.',
    ]);
    expect((await stage.host.get('a')).lifecycle).toMatchObject({ intervention_reason: 'angry' });
    expect(await refused(stage, 'a')).toEqual([]);
  });

  fact(
    'text sent along with tools reaches the contact, and each tool takes effect',
    async (stage) => {
      const lifecycleInput = { todos: [{ id: 'hear', text: 'Hear them.' }] };
      await stage.host.start('chat', { id: 'a', contact: 'ada', lifecycleInput });
      await stage.agent.answer({
        text: 'Hello.',
        toolCalls: [
          help,
          { name: 'mark_todo_item', arguments: { todo_id: 'hear', status: 'completed' } },
          { name: 'schedule_next_heartbeat', arguments: { delay_ms: 3_600_000 } },
        ],
      });
      await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
      expect(await stage.said('a')).toEqual(['agent: Hello.']);
      expect((await stage.host.get('a')).lifecycle).toMatchObject({
        todos: [{ id: 'hear', status: 'completed' }],
        heartbeat_override_ms: 3_600_000,
      });
      expect(await refused(stage, 'a')).toEqual([]);
    },
  );

  fact.greeted('a request for a person without text sends no message', async (stage) => {
    await stage.host.receive({ contact: 'ada', text: 'I am angry.' });
    await stage.agent.answer({ text: '', toolCalls: [help] });
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect(await stage.said('a')).toEqual(['agent: Hello from a.', 'contact: I am angry.']);
    expect(await refused(stage, 'a')).toEqual([]);
  });

  fact.greeted(
    'a conversation that its agent ends is over once the farewell is delivered',
    async (stage) => {
      await stage.host.receive({ contact: 'ada', text: 'That is all.' });
      await stage.agent.answer({ text: 'Goodbye.', toolCalls: [bye] });
      await stage.reaches('a', 'COMPLETED');
      await until(() => stage.channel.texts.includes('Goodbye.'), 'the farewell');
      expect((await stage.host.get('a')).lifecycle).toMatchObject({ end_reason: 'all is said' });
      expect(await refused(stage, 'a')).toEqual([]);
    },
  );

  fact('tool calls of an agent survive a pause and a restart during its turn', async (stage) => {
    await waitingForTwoAnswers(stage);
    await stage.agent.answer({ text: 'Let me find somebody.', toolCalls: [help] });
    await until(() => stage.agent.open[0]?.key === 'a/2/reply', 'the second answer');
    await stage.host.pause('a');
    await stage.reopen();
    await stage.host.resume('a');
    await stage.agent.answer('One moment.');
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect((await stage.host.get('a')).lifecycle).toMatchObject({ intervention_reason: 'angry' });
    expect(await agentLines(stage)).toEqual([
      'agent: Hello from a.',
      'agent: Let me find somebody.',
      'agent: One moment.',
    ]);
    expect(await refused(stage, 'a')).toEqual([]);
  });

  fact('a call that fails after an agent asked for a person is retried', async (stage) => {
    await waitingForTwoAnswers(stage);
    await stage.agent.answer({ text: 'Let me find somebody.', toolCalls: [help] });
    await until(() => stage.agent.open[0]?.key === 'a/2/reply', 'the second answer');
    await stage.agent.fail('an outage');
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect((await stage.host.get('a')).lifecycle).toMatchObject({ intervention_reason: 'angry' });
    await stage.host.resume('a');
    expect((await stage.agent.answer('One moment.')).key).toBe('a/2/reply');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    expect(await agentLines(stage)).toEqual([
      'agent: Hello from a.',
      'agent: Let me find somebody.',
      'agent: One moment.',
    ]);
  });

  fact('messages that wait when an agent ends the conversation are not answered', async (stage) => {
    await waitingForTwoAnswers(stage);
    await stage.agent.answer({ text: 'Goodbye.', toolCalls: [bye] });
    await stage.reaches('a', 'COMPLETED');
    expect(await agentLines(stage)).toEqual(['agent: Hello from a.', 'agent: Goodbye.']);
    expect(stage.agent.open).toEqual([]);
  });

  fact('a reminder may use the same tools', async (stage) => {
    for (const [id, call, state] of [
      ['a', help, 'NEEDS_HUMAN_INTERVENTION'],
      ['b', bye, 'COMPLETED'],
    ] as const) {
      await stage.greeted(id, id, { interval_ms: 40, max_followups: 3 });
      await stage.agent.answer({ text: `Last words of ${id}.`, toolCalls: [call] });
      await stage.reaches(id, state);
      expect((await stage.said(id)).at(-1)).toBe(`agent: Last words of ${id}.`);
      expect(await refused(stage, id)).toEqual([]);
    }
  });

  fact('an agent is offered exactly the tools that are accepted', async (stage) => {
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    const plain = (await stage.agent.answer('Hello.')).input.tools;
    expect(plain.map(({ name }) => name).toSorted()).toEqual(
      names.filter((name) => name !== 'mark_todo_item'),
    );
    const lifecycleInput = {
      todos: [{ text: 'Hear them.' }],
      heartbeat_config: { interval_ms: 40 },
    };
    await stage.host.start('chat', { id: 'b', contact: 'eve', lifecycleInput });
    const { tools } = (await stage.agent.answer('Hello.')).input;
    expect(tools.map(({ name }) => name).toSorted()).toEqual(names);
    expect(JSON.stringify(tools)).toContain('Hear them.');
    // The call for a reminder has the same tools.
    const reminder = await stage.agent.next();
    expect(reminder.input.tools).toEqual(tools);
  });

  fact('an agent is offered its checklist as it is at the time of the call', async (stage) => {
    const lifecycleInput = { todos: [{ id: 'hear', text: 'Hear them.' }] };
    await stage.host.start('chat', { id: 'a', contact: 'ada', lifecycleInput });
    const status = 'completed';
    const done = { name: 'mark_todo_item', arguments: { todo_id: 'hear', status } };
    const first = await stage.agent.answer({ text: 'Hello.', toolCalls: [done] });
    expect(JSON.stringify(first.input.tools)).toContain('Hear them. (pending)');
    await until(() => stage.channel.texts.includes('Hello.'), 'the greeting');
    await stage.host.receive({ contact: 'ada', text: 'I am here.' });
    const second = await stage.agent.answer('Yes?');
    expect(JSON.stringify(second.input.tools)).toContain('Hear them. (completed)');
  });

  fact.greeted('an unknown tool is left to the conversation', async (stage) => {
    await stage.host.receive({ contact: 'ada', text: 'Bye.' });
    await stage.agent.answer({ text: 'Bye.', toolCalls: [bye, { name: 'end', arguments: {} }] });
    await stage.reaches('a', 'COMPLETED');
    expect((await stage.host.get('a')).lifecycle).toMatchObject({ end_reason: 'all is said' });
  });
}
