import type { Answer, HostEvent } from '@dramaturg/host';
import { expect } from 'vitest';
import { aWhile, type Fact, type HostStage, until, refuses } from './stage.ts';

const codeOf = (answer: Answer) => (answer.accepted ? 'accepted' : answer.code);

/** The events of the host about claims and notes, in the order of the journal. */
async function deskEventsOf({ host }: HostStage, id: string): Promise<string[]> {
  const lines = await host.journal(id, { from: 0, limit: 1_000 });
  return (lines as unknown as HostEvent[])
    .map(({ event }) => `${event.type} ${String(event['by'])}`)
    .filter((text) => /^(claim|note|draft)\./.test(text));
}

/** Conversations that people take over. */
export function operators(fact: Fact): void {
  fact('a take-over interrupts the running turn, and its reply never goes out', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    const call = await stage.agent.next();
    const taken = await stage.host.takeOver('a', { by: 'Ana' });
    expect(taken).toMatchObject({ accepted: true, state: 'PAUSED', owner: { by: 'Ana' } });
    await until(() => call.signal.aborted, 'the call to be aborted');
    call.resolve({ text: 'Too late.' } as never);
    await stage.host.receive({ contact: 'ada', text: 'Is anybody there?' });
    expect(await stage.host.intervene('a', 'I am Ana.', { by: 'Ana' })).toMatchObject({
      accepted: true,
    });
    await aWhile();
    expect(stage.agent.open).toHaveLength(0);
    expect(stage.channel.texts).toEqual(['Hello from a.', 'I am Ana.']);
    const { owner, queue, waitingSince } = await stage.host.get('a');
    expect([owner?.by, queue, typeof waitingSince]).toEqual(['Ana', 'paused', 'number']);
    const lines = await stage.host.transcript('a', { from: 0, limit: 99 });
    expect(lines.find(({ role }) => role === 'manual')).toMatchObject({
      text: 'I am Ana.',
      by: 'Ana',
    });
  });

  fact.greeted(
    'after a take-over, the agent answers in the next turn what the contact has written',
    async (stage) => {
      await stage.host.takeOver('a', { by: 'Ana' });
      await stage.host.receive({ contact: 'ada', text: 'Hi.' });
      expect(await stage.host.handBack('a', { by: 'Ana' })).toMatchObject({ accepted: true });
      const call = await stage.agent.answer('Hello again.');
      expect(call.input.message).toBe('Hi.');
      await stage.reaches('a', 'WAITING_FOR_REPLY');
      const { owner, queue } = await stage.host.get('a');
      expect([owner, queue]).toEqual([undefined, undefined]);
      expect(codeOf(await stage.host.handBack('a', { by: 'Ana' }))).toBe('host/not-claimed');
      expect(await deskEventsOf(stage, 'a')).toEqual(['claim.taken Ana', 'claim.released Ana']);
    },
  );

  fact.greeted('of operators at the same time one gets the conversation', async (stage) => {
    const names = ['Ana', 'Ben', 'Carla', 'Dan'];
    const answers = await Promise.all(names.map((by) => stage.host.takeOver('a', { by })));
    expect(answers.map(codeOf).toSorted()).toEqual([
      'accepted',
      ...names.slice(1).map(() => 'host/claimed'),
    ]);
    const { owner } = await stage.host.get('a');
    const winner = names[answers.findIndex(({ accepted }) => accepted)];
    expect(owner?.by).toBe(winner);
    for (const answer of answers)
      expect(answer.accepted ? '' : answer.because).toMatch(
        answer.accepted ? /^$/ : new RegExp(`^"${winner}" has this conversation until .* UTC\\.`),
      );
  });

  fact.greeted(
    'acts of others are refused while a claim holds, and acts of the owner renew it',
    async (stage) => {
      const { host } = stage;
      const first = await host.takeOver('a', { by: 'Ana', forMs: 60_000 });
      const claimedAt = Date.now();
      const firstEnd = first.accepted ? first.owner!.until : 0;
      const before = await host.get('a');
      const refused = [
        await host.resume('a', { by: 'Ben' }),
        await host.resume('a'),
        await host.send('a', { type: 'resume', force: true, internal: true, by: 'Ben' }),
        await host.cancel('a', 'no', { by: 'Ben' }),
        await host.intervene('a', 'It is me.', { by: 'Ben' }),
        await host.handBack('a', { by: 'Ben' }),
        await host.renewClaim('a', { by: 'Ben' }),
        await host.takeOver('a', { by: 'Ben' }),
      ];
      expect(refused.map(codeOf)).toEqual(refused.map(() => 'host/claimed'));
      expect(await host.get('a')).toEqual(before);
      await until(() => Date.now() > claimedAt, 'the next millisecond');
      await host.intervene('a', 'Hello.', { by: 'Ana' });
      const { owner } = await host.get('a');
      expect(owner!.until).toBeGreaterThan(firstEnd);
      const renewed = await host.renewClaim('a', { by: 'Ana' });
      expect(renewed).toMatchObject({ accepted: true, owner: { by: 'Ana' } });
      expect(await host.takeOver('a', { by: 'Ben', force: true })).toMatchObject({
        owner: { by: 'Ben' },
      });
      expect(codeOf(await host.resume('a', { by: 'Ana' }))).toBe('host/claimed');
      expect(codeOf(await host.resume('a', { by: 'Ben' }))).toBe('accepted');
      expect((await host.get('a')).owner).toBeUndefined();
    },
  );

  fact('a claim and notes survive a restart, and an expired claim is nobody’s', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.greeted('b', 'bob');
    await stage.host.takeOver('a', { by: 'Ana', forMs: 3_600_000 });
    await stage.host.takeOver('b', { by: 'Ana', forMs: 1_000 });
    await stage.host.addNote('a', 'Ben', 'Speaks Spanish.');
    const { owner, notes } = await stage.host.get('a');
    expect(notes).toMatchObject([{ by: 'Ben', text: 'Speaks Spanish.' }]);
    await stage.reopen();
    const after = await stage.host.get('a');
    expect([after.owner, after.notes]).toEqual([owner, notes]);
    await until(async () => (await stage.host.get('b')).owner === undefined, 'the claim to expire');
    expect(await stage.stateOf('b')).toBe('PAUSED');
    expect(await stage.host.takeOver('b', { by: 'Ben' })).toMatchObject({ owner: { by: 'Ben' } });
    expect(await deskEventsOf(stage, 'a')).toEqual(['claim.taken Ana', 'note.added Ben']);
    expect(await deskEventsOf(stage, 'b')).toEqual(['claim.taken Ana', 'claim.taken Ben']);
  });

  fact('a person has a conversation, so no reminder fires', async (stage) => {
    await stage.greeted('a', 'ada', { interval_ms: 150, max_followups: 1 });
    await stage.host.takeOver('a', { by: 'Ana' });
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await stage.stateOf('a')).toBe('PAUSED');
    expect(stage.agent.open).toHaveLength(0);
    await stage.host.handBack('a', { by: 'Ana' });
    await stage.agent.answer('Are you there?');
    await until(() => stage.channel.texts.includes('Are you there?'), 'the reminder');
  });

  fact('a failed turn is in its queue, and is tried again after a take-over', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.reopen({ ports: { reply: stage.agent.ports.reply! } });
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.agent.fail(Object.assign(new Error('a wrong key'), { code: 'port/refused' }));
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    const [failed] = (await stage.host.inbox({ queue: 'failed' })).items;
    expect(failed).toMatchObject({
      id: 'a',
      lastLine: { role: 'contact', text: 'Hi.' },
      failure: { message: expect.stringContaining('a wrong key') as string },
    });
    await stage.host.takeOver('a', { by: 'Ana' });
    expect((await stage.host.get('a')).waitingSince).toBe(failed!.waitingSince);
    expect(await stage.host.queues()).toMatchObject({ failed: 1, paused: 0, all: 1 });
    await stage.host.handBack('a', { by: 'Ana' });
    await stage.answers('a', 'Sorry for the wait.');
    expect(await stage.host.queues()).toMatchObject({ failed: 0, paused: 0, needsPerson: 0 });
  });

  fact('who waits for a person is in that queue until a person has answered', async (stage) => {
    await stage.greeted('a', 'ada');
    const waiting = async () => {
      const { queue, waitingSince } = await stage.host.get('a');
      return { queue, waitingSince };
    };
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.agent.next();
    // The contact has no answer because the turn was interrupted. The end of the claim does not change that.
    await stage.host.takeOver('a', { by: 'Ana', forMs: 1_000 });
    const { waitingSince } = await waiting();
    await until(async () => (await stage.host.get('a')).owner === undefined, 'the claim to expire');
    await stage.host.addNote('a', 'Ben', 'Nobody is here.');
    expect(await waiting()).toEqual({ queue: 'needsPerson', waitingSince });
    await stage.host.takeOver('a', { by: 'Ben' });
    await stage.host.intervene('a', 'I am Ben.', { by: 'Ben' });
    await stage.host.addNote('a', 'Ben', 'Answered.');
    expect((await waiting()).queue).toBe('paused');
    // A line during the claim waits for its owner.
    await stage.host.receive({ contact: 'ada', text: 'And now?' });
    const second = await waiting();
    expect(second.queue).toBe('needsPerson');
    expect(second.waitingSince).toBeGreaterThanOrEqual(waitingSince!);
    await stage.host.handBack('a', { by: 'Ben' });
    expect((await waiting()).queue).toBeUndefined();
  });

  fact(
    'a run that has ended in a failure is in its queue, a cancelled one is not',
    async (stage) => {
      await stage.host.start('job', { id: 'broken' });
      await stage.agent.fail(Object.assign(new Error('no such agent'), { code: 'port/refused' }));
      await until(async () => (await stage.host.get('broken')).ended, 'the end');
      await stage.host.start('job', { id: 'cancelled' });
      await stage.agent.next();
      await stage.host.cancel('cancelled', 'enough');
      const { items } = await stage.host.inbox({ queue: 'failed' });
      expect(items).toMatchObject([
        { id: 'broken', ended: true, failure: { message: expect.any(String) as string } },
      ]);
    },
  );

  fact('a workflow is taken over, too; an instance that has ended is not', async (stage) => {
    await stage.host.start('job', { id: 'j' });
    await stage.agent.next();
    expect(await stage.host.takeOver('j', { by: 'Ana' })).toMatchObject({ state: 'PAUSED' });
    expect(codeOf(await stage.host.intervene('j', 'Hello.', { by: 'Ana' }))).toBe(
      'event/not-accepted',
    );
    await refuses(stage.host.draft('j', { by: 'Ana' }), 'host/no-draft');
    await stage.host.handBack('j', { by: 'Ana' });
    await stage.agent.next();
    await stage.host.takeOver('j', { by: 'Ana' });
    await stage.host.cancel('j', 'enough', { by: 'Ana' });
    expect(codeOf(await stage.host.takeOver('j', { by: 'Ana' }))).toBe('instance/ended');
    expect(codeOf(await stage.host.addNote('j', 'Ana', 'Too late.'))).toBe('instance/ended');
    expect((await stage.host.get('j')).owner).toBeUndefined();
    expect(await stage.host.queues()).toMatchObject({ paused: 0, all: 0 });
    await refuses(stage.host.takeOver('nobody', { by: 'Ana' }), 'host/unknown-instance');
  });

  fact('a draft is what the agent would say, and changes nothing but the usage', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.agent.next();
    await stage.host.takeOver('a', { by: 'Ana' });
    const said = await stage.said('a');
    const { used } = await stage.host.get('a');
    const drafting = stage.host.draft('a', { by: 'Ana' });
    const usage = { requests: 1, inputTokens: 5, outputTokens: 7, cost: 1 };
    const call = await stage.agent.answer({ text: 'How can I help?', usage });
    expect(call.input.message).toBe('Hi.');
    expect(await drafting).toEqual({ text: 'How can I help?' });
    const after = await stage.host.get('a');
    expect(after).toMatchObject({ state: 'PAUSED', calls: [], owner: { by: 'Ana' } });
    expect(after.used.outputTokens - used.outputTokens).toBe(7);
    expect(await stage.said('a')).toEqual(said);
    expect(stage.channel.texts).toEqual(['Hello from a.']);
    await stage.host.handBack('a', { by: 'Ana' });
    const real = await stage.agent.answer('How can I really help?');
    expect(real.key).not.toBe(call.key);
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    await expect(stage.host.draft('a', { by: 'Ana' })).rejects.toMatchObject({
      code: 'host/no-draft',
      message: expect.stringContaining('nothing waits for its answer') as string,
    });
  });

  fact('a draft calls nothing that may change something, and can be cancelled', async (stage) => {
    await stage.host.start('quiz', { id: 'q', contact: 'quentin' });
    await stage.agent.answer('Hello from q.');
    await stage.reaches('q', 'WAITING_FOR_REPLY');
    await stage.host.takeOver('q', { by: 'Ana' });
    await stage.host.receive({ contact: 'quentin', text: '4' });
    await expect(stage.host.draft('q', { by: 'Ana' })).rejects.toMatchObject({
      code: 'host/no-draft',
      message: expect.stringContaining('"judge"') as string,
    });
    expect(stage.agent.open).toHaveLength(0);
    await stage.greeted('a', 'ada');
    await stage.host.takeOver('a', { by: 'Ana' });
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    const cancelling = new AbortController();
    const drafting = stage.host.draft('a', { by: 'Ana', signal: cancelling.signal });
    const call = await stage.agent.next();
    cancelling.abort();
    await until(() => call.signal.aborted, 'the call to be aborted');
    call.reject(new Error('aborted'));
    await expect(drafting).rejects.toMatchObject({
      code: 'host/no-draft',
      message: expect.stringContaining('cancelled') as string,
    });
  });

  fact.greeted('all acts are listed, and an erased contact leaves none', async (stage) => {
    await stage.greeted('b', 'ben');
    await stage.host.takeOver('a', { by: 'Ana' });
    await stage.host.addNote('a', 'Ana', 'Ada lives in Lima.');
    await stage.host.takeOver('b', { by: 'Ben' });
    await stage.host.takeOver('b', { by: 'Carla' });
    await stage.host.intervene('a', 'Hello, Ada.', { by: 'Ana' });
    const acts = async () =>
      (await stage.host.acts()).items.map(({ act, by, instance }) => `${act} ${by} ${instance}`);
    expect(await acts()).toEqual([
      'take-over Ana a',
      'note Ana a',
      'intervene Ana a',
      'take-over Ben b',
    ]);
    await stage.host.erase({ contact: 'ada', running: 'end' });
    expect(await acts()).toEqual(['take-over Ben b']);
    expect(await stage.host.queues()).toMatchObject({ paused: 1, all: 1 });
  });

  fact('H2 a person gives a conversation to a colleague, and has it no more', async (stage) => {
    await stage.greeted('a', 'ada');
    expect(await stage.host.takeOver('a', { by: 'Ana', to: 'Ben' })).toMatchObject({
      accepted: true,
      owner: { by: 'Ben' },
    });
    expect(await stage.host.handBack('a', { by: 'Ana' })).toMatchObject({
      accepted: false,
      code: 'host/claimed',
    });
    expect(await stage.host.handBack('a', { by: 'Ben' })).toMatchObject({ accepted: true });
    await refuses(stage.host.takeOver('a', { by: 'Ana', to: '' }), 'host/bad-request');
  });

  fact.greeted('H8 names and notes are data', async (stage) => {
    const text = '<script>alert(1)</script> \u0000 \ud83d __proto__';
    const by = `'; DROP TABLE records; -- "𝒳"`;
    await stage.host.takeOver('a', { by });
    await stage.host.addNote('a', 'constructor', text);
    expect(await stage.host.get('a')).toMatchObject({
      owner: { by },
      notes: [{ by: 'constructor', text }],
    });
    expect((await stage.host.inbox({ owner: by })).items).toHaveLength(1);
    for (const wrong of ['', ' ', 'a\nb', 'x'.repeat(129), 7, null])
      await refuses(stage.host.takeOver('a', { by: wrong as never }), 'host/bad-request');
    await refuses(stage.host.takeOver('a', { by, forMs: 999 }), 'host/bad-request');
    await refuses(
      stage.host.send('a', { type: 'operator.take_over', by: 'Ben' }),
      'host/bad-request',
    );
  });
}

/** Lists, views and subscriptions. */
export function views(fact: Fact): void {
  fact(
    'instances are listed in pages, oldest first, by contact, state and definition',
    async (stage) => {
      const { host } = stage;
      for (let index = 0; index < 5; index += 1)
        await host.start('chat', { id: `chat ${index}`, contact: 'ada' });
      await host.start('job', { id: 'a job' });
      const first = await host.list({}, { limit: 4 });
      const second = await host.list({}, { limit: 4, after: first.next! });
      expect([...first.items, ...second.items].map(({ id }) => id)).toEqual([
        'chat 0',
        'chat 1',
        'chat 2',
        'chat 3',
        'chat 4',
        'a job',
      ]);
      expect(second.next).toBeUndefined();
      const ids = async (filter: Parameters<typeof host.list>[0]) =>
        (await host.list(filter)).items.map(({ id }) => id);
      expect(await ids({ definition: 'job' })).toEqual(['a job']);
      expect(await ids({ state: 'ACTIVE' })).toEqual(['chat 0']);
      expect(await ids({ contact: 'ada', state: 'QUEUED' })).toHaveLength(4);
      await host.cancel('chat 0');
      expect(await ids({ ended: true })).toEqual(['chat 0']);
    },
  );

  fact('subscribers receive every event once it is stored', async (stage) => {
    const { host } = stage;
    const heard: string[] = [];
    const listening = (async () => {
      for await (const { instance, source, event } of host.events({ instance: 'a' }))
        heard.push(`${instance} ${source} ${event.type}`);
    })();
    await stage.greeted('a', 'ada');
    await stage.greeted('b', 'bob');
    await host.stop();
    await listening;
    expect(heard).toContain('a lifecycle state.entered');
    expect(heard).toContain('a flow message.sent');
    expect(heard).toContain('a host message.delivered');
    expect(heard.some((line) => line.startsWith('b'))).toBe(false);
  });

  fact('subscribers may ask for some events only, and leave', async (stage) => {
    const { host } = stage;
    const events = host.events({ types: ['message.delivered', 'turn.started'] });
    await stage.greeted('a', 'ada');
    const heard: HostEvent[] = [];
    for await (const event of events) if (heard.push(event) === 2) break;
    expect(heard.map(({ event }) => event.type)).toEqual(['turn.started', 'message.delivered']);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  fact.greeted('transcripts and journals are read in parts', async (stage) => {
    const all = await stage.host.transcript('a', { from: 0, limit: 100 });
    const [second] = await stage.host.transcript('a', { from: 1, limit: 1 });
    expect(second).toEqual(all[1]);
    const { transcriptLength, journalLength } = await stage.host.get('a');
    expect(all).toHaveLength(transcriptLength);
    expect(await stage.host.journal('a', { from: 0, limit: 1_000 })).toHaveLength(journalLength);
  });
}
