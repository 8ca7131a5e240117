import type { Chart, JsonObject } from '@dramaturg/compiler';
import { expect } from 'vitest';
import { rehearsalCharts } from './rehearsal.ts';
import { type Fact, type HostStage, until } from './stage.ts';

/** Opens a host whose lifecycle has the policy `words`, with a channel of a carrier besides the first one. */
async function withWords(stage: HostStage, more: JsonObject = {}): Promise<void> {
  const known = [
    { text: 'basta', means: 'stop' },
    { text: 'ciao', means: 'start' },
    { text: 'a person', means: 'person' },
    { text: 'restart', means: 'restart' },
    { text: 'help', means: 'help', says: 'Call 112.' },
  ];
  const { conversation } = stage.lifecycles;
  const meta = { ...conversation.meta!, words: known, ...more };
  const chat = {
    name: 'chat',
    chart: rehearsalCharts.chat,
    lifecycle: { ...conversation, meta } as Chart,
  };
  await stage.reopen({
    definitions: [chat],
    channels: { main: stage.channel, sms: stage.channel },
  });
}

/** A conversation whose agent has greeted the contact. */
async function greeted(stage: HostStage, channel: string, definition = 'chat'): Promise<void> {
  const { host, agent, channel: delivered } = stage;
  await host.start(definition, { id: 'a', contact: 'ada', channel });
  await agent.answer('Hello.');
  await stage.reaches('a', 'WAITING_FOR_REPLY');
  await until(() => delivered.texts.includes('Hello.'), 'the greeting');
}

/** The policies about words, time, and messages after the end. */
export function words(fact: Fact): void {
  fact('after STOP on a channel of a carrier nothing is sent until START', async (stage) => {
    await stage.reopen({ channels: { sms: stage.channel } });
    await greeted(stage, 'sms');
    const { channel } = stage;
    const say = (text: string) => stage.host.receive({ contact: 'ada', channel: 'sms', text });

    expect(await say(' Stop! ')).toMatchObject({ accepted: true, heard: 'stop', state: 'PAUSED' });
    const by = await stage.host.intervene('a', 'Are you sure?');
    expect(by).toMatchObject({ accepted: false, code: 'message/not-delivered' });
    await stage.reopen({ channels: { sms: stage.channel } });
    await stage.host.resume('a');
    await say('Hello?');
    await stage.answers('a', 'Yes?');
    await until(async () => (await stage.host.get('a')).undelivered.length === 0, 'the rejection');
    expect(channel.texts).toEqual(['Hello.']);

    const stop = { contact: 'ada', channel: 'sms', id: 'm1', text: 'STOP' };
    await stage.host.receive(stop);
    expect(await stage.host.receive(stop)).toMatchObject({ code: 'message/repeated' });
    expect(await say('START')).toMatchObject({ accepted: true, heard: 'start' });
    await say('Hello again.');
    await stage.agent.answer('Welcome back.');
    await until(() => channel.texts.length === 2, 'the answer');
    expect(channel.texts).toEqual(['Hello.', 'Welcome back.']);
    expect(await say('yes')).not.toHaveProperty('heard');
  });

  fact(
    'an opt-out holds for later conversations on the channel, and on no other',
    async (stage) => {
      const { channel } = stage;
      await stage.reopen({ channels: { main: channel, sms: channel } });
      await stage.host.receive({ contact: 'ada', channel: 'sms', text: 'STOPALL' });
      const start = async (id: string, name: string) => {
        await stage.host.start('chat', { id, contact: 'ada', channel: name });
        await stage.agent.answer(`Hello on ${name}.`);
        const isDone = async () => (await stage.host.get(id)).undelivered.length === 0;
        await stage.reaches(id, 'WAITING_FOR_REPLY');
        await until(isDone, 'the end of the delivery');
        await stage.host.cancel(id);
      };
      await start('a', 'sms');
      await start('b', 'main');
      expect(channel.texts).toEqual(['Hello on main.']);
      const parts: string[] = [];
      for await (const part of stage.host.export({ contact: 'ada' })) parts.push(part);
      expect(JSON.parse(parts.join(''))).toMatchObject({ optOuts: [{ channel: 'sms' }] });

      await stage.host.erase({ contact: 'ada', running: 'end' });
      await start('c', 'sms');
      expect(channel.texts).toEqual(['Hello on main.', 'Hello on sms.']);
    },
  );

  fact('a word of the policy stops a conversation, and START continues it', async (stage) => {
    await withWords(stage);
    await greeted(stage, 'main');
    const say = (text: string) => stage.host.receive({ contact: 'ada', text });
    expect(await say('“Basta!” 🙏')).toMatchObject({ heard: 'stop', state: 'PAUSED' });
    expect(await say('ciao')).toMatchObject({ heard: 'start', state: 'WAITING_FOR_REPLY' });
    expect(await say('ciao')).not.toHaveProperty('heard');
    await stage.agent.answer('Ciao.');
    await until(() => stage.channel.texts.length === 2, 'the answer');
    expect(await stage.said('a')).toEqual([
      'agent: Hello.',
      'contact: “Basta!” 🙏',
      'contact: ciao',
      'contact: ciao',
      'agent: Ciao.',
    ]);
  });

  fact('a first message that is a word of the policy opts out, too', async (stage) => {
    await withWords(stage);
    const { host, channel } = stage;
    const message = { contact: 'ada', channel: 'main', orStart: { definition: 'chat' } };
    expect(await host.receive({ ...message, text: 'Basta!' })).toMatchObject({ heard: 'stop' });
    const { items } = await host.list({ contact: 'ada' });
    expect(items.map(({ state }) => state)).toEqual(['PAUSED']);
    expect(await host.intervene(items[0]!.id, 'Hello?')).toMatchObject({ accepted: false });
    expect(channel.texts).toEqual([]);
  });

  fact('a word asks for a person at once, and the flow never gets it', async (stage) => {
    await withWords(stage);
    await greeted(stage, 'main');
    const say = (text: string) => stage.host.receive({ contact: 'ada', text });
    expect(await say('A person, ')).toMatchObject({ heard: 'person' });
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect(await say('a person')).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION' });
    await stage.host.resume('a');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    await say('Thank you');
    const { input } = await stage.agent.answer('Welcome.');
    expect(input.message).toBe('Thank you');
    // Also during a turn.
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    await say('One question');
    await stage.agent.next();
    await say('a person');
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect(stage.agent.open).toEqual([]);
  });

  fact(
    'help is answered with the sentence of the policy, and the question stays',
    async (stage) => {
      await withWords(stage);
      await greeted(stage, 'main');
      const say = (text: string) => stage.host.receive({ contact: 'ada', text });
      expect(await say('HELP')).toMatchObject({ heard: 'help', state: 'WAITING_FOR_REPLY' });
      await until(() => stage.channel.texts.includes('Call 112.'), 'the sentence');
      await say('Please help me');
      const { input } = await stage.agent.answer('How?');
      expect(input.message).toBe('Please help me');
      await stage.reaches('a', 'WAITING_FOR_REPLY');
      expect(await stage.said('a')).toEqual([
        'agent: Hello.',
        'contact: HELP',
        'agent: Call 112.',
        'contact: Please help me',
        'agent: How?',
      ]);
    },
  );

  fact('restart begins the conversation anew, also between other messages', async (stage) => {
    await withWords(stage);
    await greeted(stage, 'main');
    const say = (text: string) => stage.host.receive({ contact: 'ada', text });
    await say('One');
    await stage.agent.next();
    await say('Two');
    expect(await say('Restart')).toMatchObject({ heard: 'restart' });
    await until(() => stage.agent.open[0]?.key === 'a/restart-1/0/reply', 'the first call');
    const { input } = await stage.agent.answer('Hello anew.');
    expect(input).not.toHaveProperty('message');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    await stage.reopen();
    await say('Three');
    expect((await stage.agent.answer('Good.')).input.message).toBe('Three');
  });

  fact('a message after the end is answered with the sentence of the policy', async (stage) => {
    await withWords(stage, { after_end: { text: 'It is over.' } });
    const { host, channel } = stage;
    await host.start('chat', {
      id: 'a',
      contact: 'ada',
      lifecycleInput: { heartbeat_config: { interval_ms: 1, max_followups: 0 } },
    });
    await stage.agent.answer('Hello.');
    await stage.reaches('a', 'ABANDONED');
    const late = () => host.receive({ contact: 'ada', id: 'm1', text: 'Are you there?' });
    expect(await late()).toEqual({ instance: 'a', accepted: true, state: 'ABANDONED' });
    expect(await late()).toMatchObject({ accepted: false, code: 'message/repeated' });
    await until(() => channel.texts.includes('It is over.'), 'the sentence');
    await host.receive({ contact: 'ada', text: 'I am a machine.' });
    expect(await stage.said('a')).toEqual([
      'agent: Hello.',
      'contact: Are you there?',
      'agent: It is over.',
      'contact: I am a machine.',
    ]);
    expect(await host.send('a', { type: 'message.received', text: 'No.' })).toMatchObject({
      code: 'instance/ended',
    });
  });

  fact('a message after the end starts the last definition again', async (stage) => {
    await withWords(stage, { after_end: 'start' });
    const { host, agent } = stage;
    const lifecycleInput = { time_zone: 'Asia/Tokyo' };
    await host.start('chat', { id: 'a', contact: 'ada', channel: 'sms', lifecycleInput });
    await stage.answers('a', 'Hello.');
    await host.cancel('a');
    const message = { contact: 'ada', channel: 'sms', text: 'Once more.' };
    const { instance } = await host.receive(message);
    expect(instance).not.toBe('a');
    expect((await agent.answer('Hello.')).time.timeZone).toBe('Asia/Tokyo');
    expect((await agent.answer('Again.')).input.message).toBe('Once more.');
    expect(await host.get(instance!)).toMatchObject({
      definition: { name: 'chat' },
      channel: 'sms',
    });
    await host.cancel(instance!);
    await host.receive({ ...message, text: 'STOP' });
    expect(await host.receive(message)).toMatchObject({ code: 'host/no-holder' });
  });

  fact(
    'a call has its time and the zone of the contact, also when it is repeated',
    async (stage) => {
      const lifecycleInput = { time_zone: 'Asia/Tokyo' };
      const begun = Date.now();
      await stage.host.start('chat', { id: 'a', contact: 'ada', lifecycleInput });
      const { time } = await stage.agent.next();
      expect(time).toMatchObject({ timeZone: 'Asia/Tokyo' });
      expect(time.now).toBeGreaterThanOrEqual(begun);
      await stage.host.stop({ within: 0 });
      stage.agent.forget();
      await stage.open();
      expect((await stage.agent.next()).time.now).toBe(time.now);
      await stage.host.start('chat', { id: 'b', contact: 'bob' });
      await until(() => stage.agent.open.length === 2, 'the call of b');
      expect(stage.agent.open[1]!.time.timeZone).toBe('UTC');
      const wrong = stage.host.start('chat', { lifecycleInput: { time_zone: 'Mars' } });
      await expect(wrong).rejects.toThrow('"time_zone" must be the name of a time zone');
    },
  );

  fact('a called conversation has the zone, words and quiet hours of its caller', async (stage) => {
    const { workflow, conversation } = stage.lifecycles;
    const meta = {
      ...workflow.meta!,
      words: [{ text: 'a person', means: 'person' }],
      quiet_hours: { from: '00:00', to: '23:59' },
    };
    await stage.reopen({
      definitions: [
        { name: 'job', chart: rehearsalCharts.job, lifecycle: { ...workflow, meta } },
        { name: 'chat', chart: rehearsalCharts.chat, lifecycle: conversation },
      ],
      definitionOf: (agent) => (agent === 'first' ? 'chat' : undefined),
    });
    const { host, agent, channel } = stage;
    const lifecycleInput = { time_zone: 'Asia/Tokyo' };
    await host.start('job', { id: 'a', contact: 'ada', channel: 'main', lifecycleInput });
    expect((await agent.answer('Hello.')).time.timeZone).toBe('Asia/Tokyo');
    await until(() => channel.texts.includes('Hello.'), 'the greeting');
    const [child] = (await host.list({ state: 'WAITING_FOR_REPLY' })).items;
    const { dueAt } = await host.get(child!.id);
    expect(new Date(dueAt!).toISOString()).toContain('T14:59');
    const answer = await host.receive({ contact: 'ada', text: 'A person!' });
    expect(answer).toMatchObject({ instance: child!.id, heard: 'person' });
    await stage.reaches(child!.id, 'NEEDS_HUMAN_INTERVENTION');
  });

  fact('the agent chooses a local time for the next reminder', async (stage) => {
    const lifecycleInput = { time_zone: 'Asia/Tokyo' };
    await stage.host.start('chat', { id: 'a', contact: 'ada', lifecycleInput });
    const at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
    const toolCalls = [{ name: 'schedule_next_heartbeat', arguments: { at } }];
    await stage.answers('a', { text: 'Tomorrow, then.', toolCalls });
    expect((await stage.host.get('a')).dueAt).toBe(Date.parse(`${at}+09:00`));
  });
}
