import type { JsonObject } from '@dramaturg/compiler';
import { longestMessage } from '@dramaturg/compiler/machine';
import { expect } from 'vitest';
import { type Fact, type HostStage, until } from './stage.ts';

/** Events for an instance are stored, and each is handled once, in order. */
export function order(fact: Fact): void {
  fact.greeted('H1: an acknowledged message survives a restart', async (stage) => {
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    await stage.reopen();
    expect(await stage.said('a')).toContain('contact: Hi.');
    const call = await stage.agent.answer('Hello.');
    expect(call.input.message).toBe('Hi.');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
  });

  fact('H3: events that come at the same time are handled in order of arrival', async (stage) => {
    await stage.greeted('a', 'ada');
    const texts = Array.from({ length: 40 }, (_, index) => `message ${index}`);
    const answers = await Promise.all(
      texts.map((text, index) =>
        stage.host.send('a', { type: 'message.received', id: `m${index}`, text }),
      ),
    );
    expect(answers.every(({ accepted }) => accepted)).toBe(true);
    const said = await stage.said('a');
    expect(said.filter((line) => line.startsWith('contact'))).toEqual(
      texts.map((text) => `contact: ${text}`),
    );
  });

  fact('H3: of two concurrent commands, the second sees the effect of the first', async (stage) => {
    await stage.greeted('a', 'ada');
    const [first, second] = await Promise.all([stage.host.pause('a'), stage.host.pause('a')]);
    expect(first).toMatchObject({ accepted: true, state: 'PAUSED' });
    expect(second).toMatchObject({ accepted: false, state: 'PAUSED' });
  });

  fact.greeted('H3: never more than one turn runs', async (stage) => {
    for (let index = 0; index < 10; index += 1)
      await stage.host.receive({ contact: 'ada', text: `message ${index}` });
    await stage.agent.next();
    expect(stage.agent.open).toHaveLength(1);
    await stage.agent.answer('one');
    await until(() => stage.agent.open.length > 0, 'the second turn');
    expect(stage.agent.open).toHaveLength(1);
  });

  fact(
    "H1: a message that is repeated after its instance has ended is known, and not the next one's",
    async (stage) => {
      const bye = { contact: 'ada', id: 'm1', text: 'Bye.' };
      await stage.greeted('a', 'ada');
      await stage.host.start('chat', { id: 'b', contact: 'ada' });
      await stage.host.receive(bye);
      await stage.agent.answer({
        text: 'Bye.',
        toolCalls: [{ name: 'end', arguments: {} }],
      });
      await until(async () => (await stage.host.get('a')).ended, 'the end of the first');
      await stage.agent.answer('Hello from b.');
      await stage.reaches('b', 'WAITING_FOR_REPLY');
      for (const reopen of [false, true]) {
        if (reopen) await stage.reopen();
        expect(await stage.host.receive(bye)).toMatchObject({
          instance: 'a',
          accepted: false,
          because: 'The message "m1" was received before.',
        });
      }
      expect(await stage.said('b')).toEqual(['agent: Hello from b.']);
      await stage.host.cancel('b');
      expect(await stage.host.receive(bye)).toMatchObject({ instance: 'a', accepted: false });
      await stage.host.start('chat', { id: 'c', contact: 'ada' });
      await stage.agent.answer('Hello from c.');
      expect(await stage.host.receive(bye)).toMatchObject({ instance: 'a', accepted: false });
      expect(await stage.host.receive({ ...bye, id: 'm2' })).toMatchObject({ accepted: true });
      expect(await stage.host.receive({ contact: 'eve', id: 'm1', text: 'Hi.' })).toMatchObject({
        instance: null,
        code: 'host/no-holder',
      });
    },
  );

  fact('H1: a message of a conversation long ago is known as long as its line', async (stage) => {
    const write = (index: number, orStart = true) =>
      stage.host.receive({
        contact: 'ada',
        id: `m${index}`,
        text: 'Hi.',
        ...(orStart && { orStart: { definition: 'chat' } }),
      });
    const routed: (string | null)[] = [];
    for (let index = 0; index < 4; index += 1) {
      const { instance } = await write(index);
      routed.push(instance);
      if (index < 3) await stage.host.cancel(instance!);
    }
    for (const reopen of [false, true]) {
      if (reopen) await stage.reopen();
      for (let index = 0; index < 4; index += 1)
        expect(await write(index)).toMatchObject({
          instance: routed[index],
          code: 'message/repeated',
        });
    }
    await stage.host.cancel(routed[3]!);
    for (let index = 0; index < 4; index += 1)
      expect(await write(index, index % 2 === 0)).toMatchObject({
        instance: routed[index],
        code: 'message/repeated',
      });
    await stage.host.erase({ contact: 'ada' });
    expect(await write(0, false)).toMatchObject({ instance: null, code: 'host/no-holder' });
  });

  fact(
    'an id is one message, also a long one, and no other message is taken for it',
    async (stage) => {
      const id = 'i'.repeat(500);
      const write = (text: string, data?: JsonObject) =>
        stage.host.receive({
          contact: 'ada',
          id,
          text,
          ...(data && { data }),
          orStart: { definition: 'chat' },
        });
      expect(await write('Hi.')).toMatchObject({ accepted: true });
      for (const reopen of [false, true]) {
        if (reopen) await stage.reopen();
        expect(await write('Hi.')).toMatchObject({ accepted: false, code: 'message/repeated' });
        for (const other of [write('Good bye.'), write('Hi.', { file: 1 })])
          expect(await other).toMatchObject({ accepted: false, code: 'message/other-content' });
      }
    },
  );

  fact('what JSON would change is refused with its place', async (stage) => {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [new Map([['a', 1]]), /at "of.0": it has an instance of Map/],
      [new Set([1]), /of Set/],
      [new Date(0), /of Date/],
      [new Error('No.'), /of Error/],
      [Number.NaN, /the number NaN/],
      [1n, /type bigint/],
      [new Uint8Array(2), /of Uint8Array/],
      [JSON.parse('{"__proto__": {"a": 1}}'), /at "of.0.__proto__"/],
    ];
    for (const [value, message] of wrong) {
      const input = { of: [value] } as unknown as JsonObject;
      const refused = { code: 'host/bad-request', message: expect.stringMatching(message) };
      await expect(stage.host.start('job', { input })).rejects.toMatchObject(refused);
      const given = { contact: 'ada', text: 'Hi.', data: input, orStart: { definition: 'chat' } };
      await expect(stage.host.receive(given)).rejects.toMatchObject({ code: refused.code });
    }
    expect((await stage.host.list()).items).toEqual([]);
  });

  fact.greeted("a message that comes while an instance ends is the next one's", async (stage) => {
    await stage.host.start('chat', { id: 'b', contact: 'ada' });
    await stage.host.receive({ contact: 'ada', id: 'm0', text: 'Bye.' });
    await stage.agent.answer({ text: 'Bye.', toolCalls: [{ name: 'end', arguments: {} }] });
    const taken: (string | null)[] = [];
    for (let index = 1; index <= 30; index += 1) {
      const routed = await stage.host.receive({ contact: 'ada', id: `m${index}`, text: 'Still?' });
      expect(routed).toMatchObject({ accepted: true });
      taken.push(routed.instance);
    }
    expect(taken.at(-1)).toBe('b');
    expect(new Set(taken.slice(taken.indexOf('b')))).toEqual(new Set(['b']));
  });
}

const ways: Readonly<Record<string, (stage: HostStage) => Promise<unknown>>> = {
  '': async () => {},
  ', across a restart': (stage) => stage.reopen(),
};

/** States in which messages wait, each with a way to enter it and a way to leave it. */
const waits: Readonly<Record<string, { come: Come; go: Come }>> = {
  PAUSED: {
    come: async (stage) => {
      await stage.greeted('a', 'ada');
      await stage.host.pause('a');
    },
    go: (stage) => stage.host.resume('a'),
  },
  NEEDS_HUMAN_INTERVENTION: {
    come: async (stage) => {
      await stage.greeted('a', 'ada');
      await stage.host.receive({ contact: 'ada', text: 'zero' });
      await stage.agent.fail('an outage');
    },
    go: async (stage) => {
      await stage.host.resume('a');
      expect((await stage.agent.answer('to zero')).input.message).toBe('zero');
    },
  },
  QUEUED: {
    come: async (stage) => {
      await stage.greeted('first', 'ada');
      await stage.host.start('chat', { id: 'a', contact: 'ada' });
    },
    go: async (stage) => {
      await stage.host.cancel('first');
      await stage.agent.answer('Hello from a.');
    },
  },
  HEARTBEAT_SCHEDULED: {
    come: async (stage) => {
      await stage.greeted('a', 'ada', { interval_ms: 2_000 });
      await stage.agent.next();
    },
    go: (stage) => stage.agent.answer('Are you there?'),
  },
  ACTIVE: {
    come: async (stage) => {
      await stage.greeted('a', 'ada');
      await stage.host.receive({ contact: 'ada', text: 'zero' });
      await stage.agent.next();
    },
    go: (stage) => stage.agent.answer('to zero'),
  },
};

type Come = (stage: HostStage) => Promise<unknown>;

const mailOf = (index: number) => `mail ${index} ${'x'.repeat(4_000 - 8 - String(index).length)} `;

/** Sends texts, and checks that all are acknowledged. */
async function sendAll({ host }: HostStage, texts: readonly string[]): Promise<void> {
  for (const text of texts)
    expect(await host.send('a', { type: 'message.received', text })).toMatchObject({
      accepted: true,
    });
}

/** Answers calls until the instance waits for its contact. @returns the messages that the flow received */
async function handedOver(stage: HostStage): Promise<string[]> {
  const messages: string[] = [];
  for (;;) {
    const isQuiet = async () => (await stage.stateOf('a')) === 'WAITING_FOR_REPLY';
    await until(async () => stage.agent.open.length > 0 || (await isQuiet()), 'the next call');
    if (stage.agent.open.length === 0) return messages;
    const { input } = await stage.agent.answer(`answer ${messages.length}`);
    messages.push(input.message ?? '');
  }
}

/** Acknowledged messages are handled, and messages that cannot be accepted are refused immediately. */
export function waitingMessages(fact: Fact): void {
  for (const [way, go] of Object.entries(ways)) {
    for (const [state, wait] of Object.entries(waits)) {
      fact(
        `in ${state} 60 long messages wait, and each is handed over once${way}`,
        async (stage) => {
          await wait.come(stage);
          await stage.reaches('a', state);
          const mails = Array.from({ length: 60 }, (_, index) => mailOf(index));
          await sendAll(stage, mails);
          await go(stage);
          await wait.go(stage);
          const messages = await handedOver(stage);
          expect(messages.join('\n')).toBe(mails.join('\n'));
          expect(messages).toHaveLength(3);
          expect(Math.max(...messages.map(({ length }) => length))).toBeLessThanOrEqual(
            longestMessage,
          );
          expect(await refusedByFlow(stage)).toEqual([]);
        },
      );
    }

    fact(`H3: a thousand messages wait, and each is handed over once${way}`, async (stage) => {
      await stage.reopen({ inbox: { messages: 1_000 } });
      await stage.greeted('a', 'ada');
      await stage.host.pause('a');
      const texts = Array.from({ length: 1_000 }, (_, index) => `message ${index}`);
      await sendAll(stage, texts);
      expect(await stage.host.receive({ contact: 'ada', text: 'more' })).toEqual({
        instance: 'a',
        accepted: false,
        state: 'PAUSED',
        code: 'message/inbox-full',
        because: '1000 messages of 10890 UTF-16 units wait already. Send it again in 60 s.',
        accepts: [],
        retryAfterMs: 60_000,
      });
      await go(stage);
      await stage.host.resume('a');
      expect((await handedOver(stage)).join('\n')).toBe(texts.join('\n'));
    });

    fact.greeted(`messages behind a failed batch are handed over after it${way}`, async (stage) => {
      await stage.host.pause('a');
      const mails = Array.from({ length: 30 }, (_, index) => mailOf(index));
      await sendAll(stage, mails);
      await stage.host.resume('a');
      const messages = [(await stage.agent.answer('the first')).input.message!];
      await until(() => stage.agent.open.length > 0, 'the second batch');
      await stage.agent.fail('an outage');
      await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
      await go(stage);
      await stage.host.resume('a');
      messages.push(...(await handedOver(stage)));
      expect(messages.join('\n')).toBe(mails.join('\n'));
    });
  }

  fact.greeted('a message of the maximum length is handed over alone', async (stage) => {
    await stage.host.pause('a');
    const texts = ['before', 'x'.repeat(longestMessage), 'after'];
    await sendAll(stage, texts);
    await stage.host.resume('a');
    expect(await handedOver(stage)).toEqual(texts);
  });

  for (const [what, fields, code] of [
    ['too long', { text: 'x'.repeat(longestMessage + 1) }, 'message/too-long'],
    ['blank', { text: ' \n\t' }, 'message/blank'],
    ['empty', { text: '' }, 'message/blank'],
    ['no text', { text: 7 }, 'message/not-text'],
    ['without a text', { id: 'm1' }, 'message/not-text'],
    ['without anything', {}, 'message/not-text'],
    ['named by a number', { id: 7, text: 'Hi.' }, 'message/bad-id'],
  ] as const) {
    for (const state of ['WAITING_FOR_REPLY', 'PAUSED', 'ACTIVE'] as const) {
      fact.greeted(`a message that is ${what} is refused at once in ${state}`, async (stage) => {
        if (state === 'PAUSED') await stage.host.pause('a');
        if (state === 'ACTIVE') await stage.host.receive({ contact: 'ada', text: 'Hi.' });
        const before = await stage.said('a');
        const answer = await stage.host.send('a', { type: 'message.received', ...fields });
        expect(answer).toMatchObject({ accepted: false, state, code });
        expect(await stage.said('a')).toEqual(before);
      });
    }
  }

  fact.greeted('a refusal has a code', async (stage) => {
    const message = { type: 'message.received', id: 'm1', text: 'Hi.' };
    await stage.host.send('a', message);
    const codeOf = async (event: { readonly type: string }) => {
      const answer = await stage.host.send('a', event);
      return answer.accepted ? 'accepted' : answer.code;
    };
    expect(await codeOf(message)).toBe('message/repeated');
    expect(await codeOf({ type: 'resume' })).toBe('event/not-accepted');
    expect(await codeOf({ type: 'unheard.of' })).toBe('event/not-accepted');
    expect(await codeOf({ type: 'decision.made' })).toBe('decision/not-open');
    await stage.host.cancel('a');
    expect(await codeOf({ type: 'resume' })).toBe('instance/ended');
    expect(await codeOf(message)).toBe('message/repeated');
  });
}

async function refusedByFlow({ host }: HostStage): Promise<unknown[]> {
  const lines = await host.journal('a', { from: 0, limit: 10_000 });
  return (lines as unknown as { source: string; event: { type: string } }[]).filter(
    ({ source, event }) => source === 'flow' && event.type === 'message.refused',
  );
}
