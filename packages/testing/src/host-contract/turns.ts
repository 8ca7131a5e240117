import type { Chart, NextReply, PortInput, Ports } from '@dramaturg/compiler';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { expect } from 'vitest';
import { callState, rehearsalBehaviour, rehearsalCharts } from './rehearsal.ts';
import { aWhile, type Fact, type HostStage, until } from './stage.ts';

/** Conversations from the first message to the last. */
export function turns(fact: Fact): void {
  fact('an instance is stored before its agent has said anything', async ({ host, agent }) => {
    const { id, state } = await host.start('chat', { id: 'a', contact: 'ada' });
    expect([id, state]).toEqual(['a', 'ACTIVE']);
    await until(() => agent.open.length === 1, 'the first call');
    expect((await host.get('a')).state).toBe('ACTIVE');
  });

  fact.greeted('a message is answered, and the answer is delivered', async (stage) => {
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

  fact.greeted(
    'a call receives the latest lines of the transcript, without system lines',
    async (stage) => {
      await stage.host.receive({ contact: 'ada', text: 'one' });
      await stage.answers('a', 'to one');
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

  fact.greeted('a message that is delivered twice is one message', async (stage) => {
    await stage.host.receive({ contact: 'ada', text: 'Hi.', id: 'm1' });
    const again = await stage.host.receive({ contact: 'ada', text: 'Hi.', id: 'm1' });
    expect(again).toMatchObject({ accepted: false });
    await stage.answers('a', 'Hello again.');
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

  fact.greeted(
    'a failing agent leads to a request for a person, and the message is not lost',
    async (stage) => {
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

  fact.greeted('an agent may ask for a person, and for another time to remind', async (stage) => {
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

/** The next reply in the input of a call. */
export function nextReplies(fact: Fact): void {
  fact('a call does not say what the next reply may be, and nobody works it out', async (stage) => {
    const { inputs, foreseen } = await extractions(stage, false);
    expect(inputs.map(({ key, reply }) => ({ key, reply }))).toEqual([{ key: 'a/extract' }]);
    expect(foreseen).toBe(0);
  });

  fact('a call says what the next reply may be when the ports want it', async (stage) => {
    const { inputs } = await extractions(stage, true);
    expect(inputs.map(({ key, reply }) => ({ key, reply }))).toEqual([
      { key: 'a/extract', reply: nextReply },
    ]);
  });
}

const nextReply: NextReply = {
  prompt: [],
  tools: [],
  cases: [{ id: 'over', prompt: [], asks: [], directions: [{ text: 'Say goodbye.' }] }],
};

const chart: Chart = {
  ...rehearsalCharts.job,
  id: 'form',
  initial: 'asking',
  states: { asking: callState('extract', 'extract', 'over'), over: { type: 'final' } },
};

/** The stored inputs of a run that extracts once: a port gets its stored input (H2). */
async function extractions(stage: HostStage, wantsNextReplies: boolean) {
  const inputs: PortInput<'extract'>[] = [];
  let foreseen = 0;
  const behaviour: Behaviour = {
    ...rehearsalBehaviour,
    inputs: {
      ...rehearsalBehaviour.inputs,
      extract: ({ context }) => ({
        key: `${context.id}/extract`,
        transcript: { conversation: context.id, length: 0 },
        prompt: [],
        schema: { type: 'object' },
      }),
    },
    nextReplies: {
      extract: () => {
        foreseen += 1;
        return nextReply;
      },
    },
  };
  const extract: Ports['extract'] = (input) => {
    inputs.push(input);
    return { value: {} };
  };
  const { workflow, behaviour: lifecycle } = stage.lifecycles;
  await stage.reopen({
    definitions: [{ name: 'form', chart, lifecycle: workflow }],
    behaviours: new Map([
      ['rehearsal', behaviour],
      [workflow.format, lifecycle],
    ]),
    ports: { extract, ...(wantsNextReplies && { wantsNextReplies }) },
  });
  await stage.host.start('form', { id: 'a' });
  await until(async () => (await stage.host.get('a')).ended, 'the run to end');
  return { inputs, foreseen };
}

const orStart = { definition: 'chat' };

async function heardBy(stage: HostStage, id: string): Promise<string[]> {
  return (await stage.said(id)).filter((line) => line.startsWith('contact'));
}

/** Messages that start a conversation when no instance holds their contact. */
export function firstMessages(fact: Fact): void {
  fact('first messages at once start one conversation, which receives each once', async (stage) => {
    const numbers = Array.from({ length: 8 }, (_, index) => index);
    const routed = await Promise.all(
      numbers.map((index) =>
        stage.host.receive({
          contact: 'ada',
          text: `Message ${index}.`,
          id: `m ${index}`,
          orStart,
        }),
      ),
    );
    const { items } = await stage.host.list();
    expect(items).toHaveLength(1);
    const { id } = items[0]!;
    for (const answer of routed) expect(answer).toMatchObject({ instance: id, accepted: true });
    await stage.agent.answer('Hello.');
    await until(async () => (await heardBy(stage, id)).length === numbers.length, 'the messages');
    expect(await heardBy(stage, id)).toEqual(numbers.map((index) => `contact: Message ${index}.`));
  });

  fact('a first message that is repeated after a crash is received once', async (stage) => {
    const message = { contact: 'ada', text: 'Hi.', id: 'm 1', orStart };
    const { instance } = await stage.host.receive(message);
    stage.agent.forget();
    await stage.reopen();
    const again = { instance, accepted: false, code: 'message/repeated' };
    expect(await stage.host.receive(message)).toMatchObject(again);
    expect(await heardBy(stage, instance!)).toEqual(['contact: Hi.']);
    await stage.host.cancel(instance!);
    expect(await stage.host.receive(message)).toMatchObject(again);
    const next = await stage.host.receive({ ...message, id: 'm 2' });
    expect(next).toMatchObject({ accepted: true });
    expect(next.instance).not.toBe(instance);
    expect(await heardBy(stage, next.instance!)).toEqual(['contact: Hi.']);
    expect((await stage.host.list()).items).toHaveLength(2);
  });

  fact.greeted('a message starts nothing while an instance holds the contact', async (stage) => {
    const message = { contact: 'ada', text: 'Hi.', orStart: { definition: 'missing' } };
    expect(await stage.host.receive(message)).toMatchObject({ instance: 'a', accepted: true });
  });

  fact('the conversation that a message starts has the given id and input', async (stage) => {
    const message = {
      contact: 'ada',
      text: 'Hi.',
      orStart: { ...orStart, id: 'a', input: { x: 1 } },
    };
    expect(await stage.host.receive(message)).toMatchObject({ instance: 'a', accepted: true });
    expect((await stage.host.get('a')).input).toMatchObject({ x: 1 });
    const { items } = await stage.host.list({ contact: 'ada' });
    expect(items.map(({ id }) => id)).toEqual(['a']);
  });

  fact(
    'a message that cannot start a conversation is refused, and the next one may',
    async ({ host }) => {
      const send = (start: object, text = 'Hi.') =>
        host.receive({ contact: 'ada', text, orStart: start as typeof orStart });
      const refused = await Promise.allSettled([
        send({ definition: 'missing' }),
        send({ definition: 'chat', id: 'definition:x' }),
        send({ definition: 'chat', chanel: 'main' }),
        send({}),
        send({ definition: 'chat', channel: 'smoke' }),
        send(orStart),
      ]);
      const codes = refused.map((each) => each.status === 'rejected' && each.reason.code);
      expect(codes).toEqual([
        'host/unknown-definition',
        'host/bad-request',
        'host/unknown-option',
        'host/bad-request',
        'host/bad-request',
        false,
      ]);
      expect((await host.list()).items).toHaveLength(1);
    },
  );

  fact('a message starts a workflow, once, and is part of its data', async (stage) => {
    const message = { contact: 'ada', text: 'Hi.', id: 'm 1', orStart: { definition: 'job' } };
    const { instance, accepted } = await stage.host.receive(message);
    expect(accepted).toBe(true);
    await stage.reopen();
    const again = { instance, accepted: false, code: 'message/repeated' };
    expect(await stage.host.receive(message)).toMatchObject(again);
    expect(await heardBy(stage, instance!)).toEqual(['contact: Hi.']);
    const { input } = await stage.host.get(instance!);
    expect(input).toMatchObject({ input: { message: { text: 'Hi.', id: 'm 1' } } });
  });
}
