import { RejectedError } from '@dramaturg/host';
import { expect } from 'vitest';
import { aWhile, type Fact, until, refuses } from './stage.ts';

/** Commands of operators. */
export function commands(fact: Fact): void {
  fact('a pause abandons the running turn, and its late answer is ignored', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    const call = await stage.agent.next();
    expect(await stage.host.pause('a')).toMatchObject({ accepted: true, state: 'PAUSED' });
    await until(() => call.signal.aborted, 'the call to be aborted');
    call.resolve({ text: 'Too late.' } as never);
    await aWhile();
    expect(await stage.said('a')).not.toContain('agent: Too late.');
    expect(stage.channel.texts).not.toContain('Too late.');
    expect(await stage.stateOf('a')).toBe('PAUSED');
  });

  fact.greeted('a resumed turn continues where it stopped, with the same key', async (stage) => {
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    const { key } = await stage.agent.next();
    await stage.host.pause('a');
    await stage.host.resume('a');
    const call = await stage.agent.answer('Here I am.');
    expect(call.key).toBe(key);
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    expect(await stage.said('a')).toEqual([
      'agent: Hello from a.',
      'contact: Hi.',
      'agent: Here I am.',
    ]);
  });

  fact.greeted('a message that comes during a pause is answered after it', async (stage) => {
    await stage.host.pause('a');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await aWhile();
    expect(stage.agent.open).toHaveLength(0);
    await stage.host.resume('a');
    const call = await stage.agent.answer('Hello.');
    expect(call.input.message).toBe('Hi.');
  });

  fact.greeted(
    'a command that is not accepted changes nothing, and the answer lists accepted ones',
    async (stage) => {
      const before = await stage.host.get('a');
      const answer = await stage.host.resume('a');
      expect(answer).toMatchObject({ accepted: false, state: 'WAITING_FOR_REPLY' });
      expect(answer.accepted ? [] : answer.accepts).toContain('pause');
      expect(await stage.host.get('a')).toEqual(before);
    },
  );

  fact.greeted('a message by hand is in the transcript once the channel has it', async (stage) => {
    expect(await stage.host.intervene('a', 'A note.')).toMatchObject({ accepted: true });
    expect(await stage.said('a')).toEqual(['agent: Hello from a.', 'manual: A note.']);
    expect(stage.channel.taken.at(-1)).toMatchObject({ role: 'manual', text: 'A note.' });
    expect(await stage.stateOf('a')).toBe('WAITING_FOR_REPLY');
  });

  fact.greeted(
    'a message by hand with a key is sent once, also when it is repeated at once',
    async (stage) => {
      const write = (text = 'A note.') => stage.host.intervene('a', text, { key: 'k-1' });
      const answers = await Promise.all([write(), write()]);
      expect(answers.filter(({ accepted }) => accepted)).toHaveLength(1);
      await stage.reopen();
      expect(await write()).toMatchObject({ accepted: false, code: 'message/repeated' });
      expect(await write('Other.')).toMatchObject({
        accepted: false,
        code: 'message/other-content',
      });
      expect(await stage.said('a')).toEqual(['agent: Hello from a.', 'manual: A note.']);
      expect(stage.channel.taken.filter(({ role }) => role === 'manual')).toHaveLength(1);
      stage.channel.isDown = true;
      const again = () => stage.host.intervene('a', 'Later.', { key: 'k-2' });
      expect(await again()).toMatchObject({ code: 'message/not-delivered' });
      stage.channel.isDown = false;
      expect(await again()).toMatchObject({ accepted: true });
    },
  );

  fact.greeted('a message by hand that the channel refuses changes nothing', async (stage) => {
    stage.channel.isDown = true;
    const answer = await stage.host.intervene('a', 'A note.');
    expect(answer).toMatchObject({ accepted: false });
    expect(answer.accepted ? '' : answer.because).toContain('not connected');
    expect(await stage.said('a')).toEqual(['agent: Hello from a.']);
    expect((await stage.host.get('a')).undelivered).toEqual([]);
  });

  fact.greeted(
    'a manual message queued behind others that the channel rejects is cancelled',
    async (stage) => {
      await stage.reopen({ deliveryTimeout: 40 });
      stage.channel.behave = ({ role }) => {
        if (role === 'agent') throw new Error('not connected');
      };
      await stage.host.receive({ contact: 'ada', text: 'Hi.' });
      await stage.answers('a', 'Stuck.');
      const answer = await stage.host.intervene('a', 'A note.');
      expect(answer.accepted ? '' : answer.because).toContain('before it');
      expect((await stage.host.get('a')).undelivered).toEqual(['a/1/reply']);
    },
  );

  fact.greeted('a cancellation settles pending manual messages', async (stage) => {
    let take = () => {};
    stage.channel.behave = () => new Promise<void>((resolve) => (take = resolve));
    const first = stage.host.intervene('a', 'With the channel.');
    await until(() => stage.channel.called.length === 2, 'the channel to be called');
    const second = stage.host.intervene('a', 'Not yet.');
    await until(async () => (await stage.host.get('a')).undelivered.length === 2, 'the second');
    await stage.host.cancel('a');
    expect(await second).toMatchObject({
      accepted: false,
      because: expect.stringContaining('cancelled') as string,
    });
    take();
    expect(await first).toMatchObject({ accepted: true, state: 'FAILED' });
    expect(await stage.said('a')).toEqual(['agent: Hello from a.', 'manual: With the channel.']);
    expect((await stage.host.get('a')).undelivered).toEqual([]);
    await stage.reopen();
    await aWhile();
    expect(stage.channel.called).toHaveLength(2);
  });

  fact.greeted('a message by hand ends the wait for a person', async (stage) => {
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.agent.fail('no credit');
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    await stage.host.intervene('a', 'A person here.');
    await stage.reaches('a', 'ACTIVE');
    await stage.answers('a', 'And the agent again.');
    expect(await stage.said('a')).toEqual([
      'agent: Hello from a.',
      'contact: Hi.',
      'manual: A person here.',
      'agent: And the agent again.',
    ]);
  });

  fact('a cancelled instance sends no more messages', async (stage) => {
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    const call = await stage.agent.next();
    expect(await stage.host.cancel('a', 'enough')).toMatchObject({
      accepted: true,
      state: 'FAILED',
    });
    await until(() => call.signal.aborted, 'the call to be aborted');
    call.resolve({ text: 'Hello.' } as never);
    await aWhile();
    expect(stage.channel.taken).toEqual([]);
    expect((await stage.host.get('a')).lifecycle).toMatchObject({
      failure_reason: 'cancelled',
      cancel_reason: 'enough',
    });
  });

  fact('a message that is not sent yet is not sent after a cancellation', async (stage) => {
    stage.channel.isDown = true;
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.answer('Hello.');
    await until(() => stage.channel.called.length > 0, 'the first attempt');
    await stage.host.cancel('a');
    stage.channel.isDown = false;
    await stage.reopen();
    await aWhile();
    expect(stage.channel.taken).toEqual([]);
  });

  fact.greeted(
    'a message that the channel refuses permanently is dropped, and the next one is sent',
    async (stage) => {
      stage.channel.behave = ({ text }) => {
        if (text === 'bad') throw new RejectedError('no such address');
      };
      for (const text of ['bad', 'good']) {
        await stage.host.receive({ contact: 'ada', text });
        await stage.answers('a', text);
      }
      await until(() => stage.channel.texts.includes('good'), 'the second message');
      expect(stage.channel.texts).toEqual(['Hello from a.', 'good']);
    },
  );
}

/** Instances that have ended. */
export function endings(fact: Fact): void {
  fact.greeted('H7: an instance that has ended accepts nothing, and says so', async (stage) => {
    await stage.host.cancel('a');
    const before = await stage.host.get('a');
    const { host } = stage;
    for (const answer of [
      await host.pause('a'),
      await host.resume('a'),
      await host.cancel('a'),
      await host.intervene('a', 'Hello?'),
      await host.send('a', { type: 'message.received', text: 'Hello?' }),
    ]) {
      expect(answer).toMatchObject({ accepted: false, state: 'FAILED' });
      expect(answer.accepted ? '' : answer.because).toContain('has ended');
    }
    expect(await host.receive({ contact: 'ada', text: 'Hello?' })).toMatchObject({
      instance: null,
      code: 'host/no-holder',
    });
    await aWhile();
    expect(await host.get('a')).toEqual(before);
    expect(stage.channel.texts).toEqual(['Hello from a.']);
  });

  fact.greeted('H7: an ended instance accepts nothing after a restart either', async (stage) => {
    await stage.host.cancel('a');
    await stage.reopen();
    expect(await stage.host.resume('a')).toMatchObject({ accepted: false, state: 'FAILED' });
  });

  fact.greeted('an id is used once, also after its instance has ended', async (stage) => {
    await refuses(stage.host.start('chat', { id: 'a' }), 'host/exists');
    expect(await stage.stateOf('a')).toBe('WAITING_FOR_REPLY');
    await stage.host.cancel('a');
    await refuses(stage.host.start('chat', { id: 'a' }), 'host/exists');
  });

  fact('an instance may be addressed while it is being started', async (stage) => {
    const { host } = stage;
    const pausing = host.pause('a').catch((error: unknown) => error);
    const [started, again] = await Promise.allSettled([
      host.start('chat', { id: 'a', contact: 'ada' }),
      host.start('chat', { id: 'a', contact: 'bob' }),
    ]);
    expect([started.status, again.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    await pausing;
    expect(await host.pause('a')).toMatchObject({ state: 'PAUSED' });
    expect(await host.resume('a')).toMatchObject({ accepted: true });
    await stage.answers('a', 'Hello.');
    expect(stage.trouble).toEqual([]);
  });

  fact('an unknown instance is reported as unknown', async ({ host }) => {
    await refuses(host.pause('nobody'), 'host/unknown-instance');
    await refuses(host.get('nobody'), 'host/unknown-instance');
  });

  fact('an erase finds a copy after another fork with its id was refused', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.greeted('b', 'bob');
    const { host } = stage;
    await host.fork('a', { step: 1, id: 'copy' });
    for (const id of ['copy', 'b']) await refuses(host.fork('a', { step: 1, id }), 'host/exists');
    await Promise.allSettled(
      [1, 1, 1].map((step) => host.fork('a', { step, id: 'made at the same time' })),
    );
    expect(await host.erase({ contact: 'ada', running: 'end' })).toMatchObject({ instances: 3 });
    expect((await host.list()).items.map(({ id }) => id)).toEqual(['b']);
  });
}
