import { expect } from 'vitest';
import { aWhile, type Fact, refuses, until } from './stage.ts';

/** Atomic starts: an instance with everything that belongs to it, or nothing. */
export function starting(fact: Fact): void {
  fact('a message after a start of its contact goes to the started instance', async (stage) => {
    const { host } = stage;
    for (let index = 0; index < 10; index += 1) {
      const contact = `contact ${index}`;
      const id = `i${index}`;
      const [started, routed] = await Promise.all([
        host.start('desk', { id, contact, input: { opening: 'person' } }),
        host.receive({ contact, text: 'Hi.' }),
      ]);
      expect(started).toMatchObject({ id });
      expect(routed).toMatchObject({ instance: id, accepted: true });
    }
  });

  fact('a message before a start of its contact is reported as unhandled', async (stage) => {
    const { host } = stage;
    for (let index = 0; index < 10; index += 1) {
      const contact = `contact ${index}`;
      const id = `i${index}`;
      const [routed, started] = await Promise.all([
        host.receive({ contact, text: 'Hi.' }),
        host.start('desk', { id, contact, input: { opening: 'person' } }),
      ]);
      expect(routed).toEqual({
        instance: null,
        accepted: false,
        code: 'host/no-holder',
        because: expect.stringMatching(/\.$/) as string,
      });
      expect(started).toMatchObject({ id });
      expect(await stage.said(id)).toEqual([]);
    }
  });

  fact(
    'messages and starts of one contact are handled in the order of the calls',
    async (stage) => {
      const { host } = stage;
      const text = (index: number) => `message ${index}`;
      const [, first, , second] = await Promise.all([
        host.start('desk', { id: 'a', contact: 'ada', input: { opening: 'person' } }),
        host.receive({ contact: 'ada', text: text(1) }),
        host.start('desk', { id: 'b', contact: 'ada' }),
        host.receive({ contact: 'ada', text: text(2) }),
      ]);
      expect([first, second]).toMatchObject([{ instance: 'a' }, { instance: 'a' }]);
      expect(await stage.stateOf('b')).toBe('QUEUED');
      expect(await stage.said('a')).toEqual([`contact: ${text(1)}`, `contact: ${text(2)}`]);
    },
  );

  fact('messages for an inactive instance are handled in the order of the calls', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.reopen();
    const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`);
    await Promise.all(texts.map((text) => stage.host.receive({ contact: 'ada', text })));
    const said = await stage.said('a');
    expect(said.slice(1)).toEqual(texts.map((text) => `contact: ${text}`));
  });

  fact('one reply answers the message that an instance is started with', async (stage) => {
    await stage.host.start('desk', { id: 'a', contact: 'ada', message: { text: 'Hi.' } });
    const call = await stage.agent.answer('Hello.');
    expect(call.input.message).toBe('Hi.');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    await aWhile();
    expect(stage.agent.open).toEqual([]);
    expect(await stage.said('a')).toEqual(['contact: Hi.', 'agent: Hello.']);
  });

  fact('one reply answers the first message of an instance that had to wait', async (stage) => {
    await stage.greeted('a', 'ada');
    await stage.host.start('desk', { id: 'b', contact: 'ada', message: { text: 'Hi.' } });
    await stage.host.cancel('a');
    expect((await stage.agent.answer('Hello.')).input.message).toBe('Hi.');
    await stage.reaches('b', 'WAITING_FOR_REPLY');
    expect(await stage.said('b')).toEqual(['contact: Hi.', 'agent: Hello.']);
  });

  fact('the input decides who opens the conversation, also with a message', async (stage) => {
    await stage.host.start('desk', {
      id: 'a',
      contact: 'ada',
      message: { text: 'Hi.' },
      input: { opening: 'agent' },
    });
    expect((await stage.agent.answer('Welcome.')).input).not.toHaveProperty('message');
    expect((await stage.agent.answer('Hello.')).input.message).toBe('Hi.');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
  });

  fact('an instance whose contact is to begin waits, and reminds nobody', async (stage) => {
    await stage.host.start('desk', {
      id: 'a',
      contact: 'ada',
      input: { opening: 'person' },
      lifecycleInput: { heartbeat_config: { interval_ms: 20, max_followups: 0 } },
    });
    for (let restarts = 0; restarts < 2; restarts += 1) {
      await aWhile();
      expect(await stage.way('a')).toEqual(['CREATED', 'ACTIVE', 'WAITING_FOR_REPLY']);
      await stage.reopen();
    }
    expect(await stage.host.receive({ contact: 'ada', text: 'Hi.' })).toMatchObject({
      instance: 'a',
      accepted: true,
    });
    await stage.agent.answer('Hello.');
    // From now on, silence has the usual effect.
    await stage.reaches('a', 'ABANDONED');
    expect(await stage.said('a')).toEqual(['contact: Hi.', 'agent: Hello.']);
  });

  fact('an instance whose contact is to begin may be paused and resumed', async (stage) => {
    await stage.host.start('desk', { id: 'a', contact: 'ada', input: { opening: 'person' } });
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    await stage.host.pause('a');
    await stage.host.resume('a');
    expect(await stage.stateOf('a')).toBe('WAITING_FOR_REPLY');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.answers('a', 'Hello.');
  });

  fact('an agent that returns no text when text is required needs a person', async (stage) => {
    await stage.host.start('desk', { id: 'a', contact: 'ada' });
    await stage.agent.answer('');
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
  });

  fact('a first message that cannot be taken refuses the whole start', async (stage) => {
    const { host } = stage;
    const wrong: unknown[] = [
      { text: '' },
      { text: ' \n' },
      { text: 'x'.repeat(200_000) },
      { text: 7 },
      { text: null },
      {},
      { txt: 'Hi.' },
      { text: 'Hi.', form: 'whisper' },
      { text: 'Hi.', id: '' },
      { text: 'Hi.', id: 'x'.repeat(201) },
      'Hi.',
      null,
      ['Hi.'],
    ];
    await stage.greeted('held', 'held');
    for (const contact of ['free', 'held']) {
      for (const message of wrong) {
        const started = host.start('desk', { contact, message: message as { text: string } });
        await expect(started).rejects.toMatchObject({
          code: 'host/message-refused',
          message: expect.stringMatching(/^Nothing was started.*\.$/s) as string,
        });
      }
    }
    expect((await host.list({ ended: false })).items.map(({ id }) => id)).toEqual(['held']);
    expect((await host.list({ ended: true })).items).toEqual([]);
    expect(await host.receive({ contact: 'free', text: 'Hi.' })).toMatchObject({ instance: null });
  });

  fact('a first message that an earlier instance received starts nothing', async (stage) => {
    const message = { text: 'Hi.', id: 'm1' };
    await stage.host.start('desk', { id: 'a', contact: 'ada', message });
    await stage.agent.answer('Hello.');
    await stage.host.cancel('a');
    await expect(stage.host.start('desk', { contact: 'ada', message })).rejects.toMatchObject({
      code: 'host/message-refused',
      message: expect.stringContaining('received before') as string,
    });
  });

  fact('a workflow accepts no messages, and the error names the workflow', async (stage) => {
    const { host } = stage;
    await host.start('job', { id: 'j', contact: 'ada' });
    expect(await host.send('j', { type: 'message.received', text: 'Hi.' })).toMatchObject({
      accepted: false,
      because: expect.stringMatching(/accepts no messages.*It accepts .*pause/s) as string,
      accepts: expect.arrayContaining(['pause', 'cancel', 'decision.made']) as string[],
    });
    expect(await host.receive({ contact: 'ada', text: 'Hi.' })).toMatchObject({
      instance: null,
      code: 'host/no-holder',
    });
    await host.pause('j');
    expect(await host.send('j', { type: 'message.received', text: 'Hi.' })).toMatchObject({
      accepted: false,
      because: expect.stringContaining('accepts no messages') as string,
    });
  });

  fact('unknown options are refused, and the error lists known ones', async (stage) => {
    const { host } = stage;
    const wrong: [Record<string, unknown>, RegExp][] = [
      [
        { lifecycleinput: {} },
        /"lifecycleinput" is unknown\. Did you mean "lifecycleInput"\?.*contact/,
      ],
      [{ inputs: {} }, /"inputs".*"input"/],
      [{ Contact: 'ada' }, /"contact"/],
      [{ zzz: 1 }, /"zzz" is unknown\. Known: id, contact/],
    ];
    for (const [options, message] of wrong) {
      await expect(host.start('chat', options)).rejects.toMatchObject({
        code: 'host/unknown-option',
        message: expect.stringMatching(message) as string,
      });
    }
    const wrongLifecycleInput: [Record<string, unknown>, RegExp][] = [
      [{ heartbeat: { interval_ms: 1 } }, /"heartbeat" is unknown.*heartbeat_config/],
      [{ heartbeat_config: { intervalms: 1 } }, /"heartbeat_config.intervalms".*"interval_ms"/],
      [{ todos: [{ text: 'Name', state: 'done' }] }, /"todos\[0\]\.state".*status/],
      [{ queue: true }, /"queue"/],
    ];
    for (const [lifecycleInput, message] of wrongLifecycleInput) {
      await expect(host.start('chat', { lifecycleInput })).rejects.toMatchObject({
        code: 'input/incomplete',
        message: expect.stringMatching(message) as string,
      });
    }
    await refuses(
      host.receive({ contact: 'ada', txt: 'Hi.' } as unknown as { contact: string; text: string }),
      'host/unknown-option',
    );
    for (const contact of ['', ' ', 7, null])
      await expect(host.receive({ contact: contact as string, text: 'Hi.' })).rejects.toMatchObject(
        { code: 'host/bad-request' },
      );
    expect((await host.list()).items).toEqual([]);
    await expect(stage.reopen({ onEror: () => {} } as object)).rejects.toMatchObject({
      code: 'host/unknown-option',
      message: expect.stringContaining('"onError"') as string,
    });
    await stage.open();
  });

  fact.greeted('unknown fields of an event are dropped', async (stage) => {
    const event = { type: 'message.received', text: 'Hi.', colour: 'red' };
    expect(await stage.host.send('a', event)).toMatchObject({ accepted: true });
    await stage.agent.answer('Hello.');
    await until(async () => (await stage.said('a')).length === 3, 'the answer');
  });
}

/** Starts whose id is an idempotency key. */
export function repeatedStarts(fact: Fact): void {
  const order = { id: 'order-1', once: true, input: { wait: 20 } };

  fact(
    'a start that is repeated with "once" starts one instance, also after a crash',
    async (stage) => {
      const first = await Promise.all([
        stage.host.start('job', order),
        stage.host.start('job', { ...order, input: { wait: 20 } }),
      ]);
      expect(first.map(({ id }) => id)).toEqual(['order-1', 'order-1']);
      stage.agent.forget();
      await stage.reopen();
      expect(await stage.host.start('job', order)).toMatchObject({ id: 'order-1' });
      await stage.agent.finish('done');
      await until(async () => (await stage.host.get('order-1')).flow === 'asking', 'the question');
      await stage.host.cancel('order-1');
      expect(await stage.host.start('job', order)).toEqual({ id: 'order-1', state: 'FAILED' });
      expect((await stage.host.list()).items.map(({ id }) => id)).toEqual(['order-1']);
      expect(new Set(stage.agent.made)).toEqual(new Set(['order-1/first']));
    },
  );

  fact('a start with "once" may have a first message, which is received once', async (stage) => {
    const greeting = { id: 'a', once: true, contact: 'ada', message: { text: 'Hi.', id: 'm 1' } };
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await stage.host.start('chat', greeting)).toMatchObject({ id: 'a' });
    expect((await stage.said('a')).filter((line) => line.startsWith('contact'))).toEqual([
      'contact: Hi.',
    ]);
    await stage.host.cancel('a');
    expect(await stage.host.start('chat', greeting)).toEqual({ id: 'a', state: 'FAILED' });
  });

  fact(
    'a start that is refused for its id disturbs no other caller of the instance',
    async (stage) => {
      const ids = Array.from({ length: 40 }, (_, index) => `a${index}`);
      for (const id of ids) await stage.host.start('job', { id, input: { wait: 20 } });
      await stage.reopen();
      const { host } = stage;
      const outcomes = ids.map(async (id, ticks) => {
        const refused = host.start('chat', { id }).catch((error: { code: string }) => error.code);
        // The other caller starts at any point of the refused start.
        for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
        const { accepted } = await host.pause(id);
        return [await refused, accepted];
      });
      expect(await Promise.all(outcomes)).toEqual(ids.map(() => ['host/exists', true]));
    },
  );

  fact('another start with the id of one that was made once is refused', async ({ host }) => {
    await host.start('job', order);
    const refusalOf = (definition: string, more: object) =>
      host.start(definition, { ...order, ...more }).catch((error: unknown) => error);
    const sentence = (difference: string) => ({
      code: 'host/exists',
      message: `There is an instance "order-1" already, and it has another ${difference}. Repeat its start as it was, or use another id.`,
    });
    expect(await refusalOf('chat', {})).toMatchObject(sentence('definition'));
    expect(await refusalOf('job', { input: { wait: 30 } })).toMatchObject(sentence('input'));
    expect(await refusalOf('job', { contact: 'ada', input: {} })).toMatchObject(
      sentence('contact, input'),
    );
    await expect(host.start('job', { once: true })).rejects.toThrow(
      '"once" needs an "id": it is the key by which a repeated start is known.',
    );
  });
}
