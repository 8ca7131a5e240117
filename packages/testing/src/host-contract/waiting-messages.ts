import { longestMessage } from '@dramaturg/compiler/machine';
import { expect } from 'vitest';
import { type Fact, type HostStage, until } from './stage.ts';

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

    fact(`messages behind a failed batch are handed over after it${way}`, async (stage) => {
      await stage.greeted('a', 'ada');
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

  fact('a message of the maximum length is handed over alone', async (stage) => {
    await stage.greeted('a', 'ada');
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
      fact(`a message that is ${what} is refused at once in ${state}`, async (stage) => {
        await stage.greeted('a', 'ada');
        if (state === 'PAUSED') await stage.host.pause('a');
        if (state === 'ACTIVE') await stage.host.receive({ contact: 'ada', text: 'Hi.' });
        const before = await stage.said('a');
        const answer = await stage.host.send('a', { type: 'message.received', ...fields });
        expect(answer).toMatchObject({ accepted: false, state, code });
        expect(await stage.said('a')).toEqual(before);
      });
    }
  }

  fact('a refusal has a code', async (stage) => {
    await stage.greeted('a', 'ada');
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
