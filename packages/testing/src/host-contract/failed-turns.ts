import { expect } from 'vitest';
import { type Fact, type HostStage, until } from './stage.ts';

/** Ways from a failure to the next attempt. */
const ways: Readonly<Record<string, (stage: HostStage) => Promise<unknown>>> = {
  '': async () => {},
  ', across a restart': (stage) => stage.reopen(),
};

/** The calls of a conversation that judges before it answers, by their keys. */
const callsOfTwo = ['a/0/reply', 'a/1/judge', 'a/1/reply', 'a/2/judge', 'a/2/reply'];

const saidInTwo = [
  'agent: Hello from a.',
  'contact: Maria',
  'agent: About Maria.',
  'contact: Lima',
  'agent: About Lima.',
];

/** Answers calls until the conversation waits; the call of a key fails the first time. */
async function carryOn(stage: HostStage, failing: string, failed: Set<string>): Promise<void> {
  const { agent, host } = stage;
  for (;;) {
    await until(
      async () => agent.open.length > 0 || !['ACTIVE'].includes(await stage.stateOf('a')),
      'the next call',
    );
    const [call] = agent.open;
    if (!call) {
      if ((await stage.stateOf('a')) !== 'NEEDS_HUMAN_INTERVENTION') return;
      await host.resume('a');
    } else if (call.key === failing && !failed.has(call.key)) {
      failed.add(call.key);
      await agent.fail('an outage');
      await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
      return;
    } else if (call.port === 'runAgent') await agent.finish('fine');
    else
      await agent.answer(
        call.input.message === undefined ? 'Hello from a.' : `About ${call.input.message}.`,
      );
  }
}

/** Failed turns continue at the failed call: a message is judged once. */
export function failedTurns(fact: Fact): void {
  for (const [way, go] of Object.entries(ways)) {
    for (const failing of callsOfTwo) {
      fact(`a failure of ${failing} changes nothing of a conversation${way}`, async (stage) => {
        const failed = new Set<string>();
        const turn = async () => {
          await carryOn(stage, failing, failed);
          if ((await stage.stateOf('a')) !== 'NEEDS_HUMAN_INTERVENTION') return;
          await go(stage);
          await stage.host.resume('a');
          await carryOn(stage, failing, failed);
        };
        await stage.host.start('quiz', { id: 'a', contact: 'ada' });
        await turn();
        for (const text of ['Maria', 'Lima']) {
          await stage.host.receive({ contact: 'ada', text });
          await turn();
        }
        expect(await stage.stateOf('a')).toBe('WAITING_FOR_REPLY');
        expect(await stage.said('a')).toEqual(saidInTwo);
        // Only the failed call was made twice, with one key.
        const expected = callsOfTwo.flatMap((key) => (key === failing ? [key, key] : [key]));
        expect(stage.agent.made).toEqual(expected);
      });
    }

    fact(`a turn that was paused and then fails is not judged again${way}`, async (stage) => {
      await stage.greeted('a', 'ada', undefined, 'quiz');
      await stage.host.receive({ contact: 'ada', text: 'Maria' });
      await stage.agent.finish('fine');
      await until(() => stage.agent.open[0]?.key === 'a/1/reply', 'the reply');
      await stage.host.pause('a');
      await go(stage);
      await stage.host.resume('a');
      await stage.agent.fail('an outage');
      await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
      await go(stage);
      await stage.host.resume('a');
      const call = await stage.agent.answer('About Maria.');
      expect([call.key, call.input.message]).toEqual(['a/1/reply', 'Maria']);
      await stage.reaches('a', 'WAITING_FOR_REPLY');
      expect(stage.agent.made.filter((key) => key === 'a/1/judge')).toHaveLength(1);
    });

    fact(
      `messages that arrive while a failed turn waits are handled after it${way}`,
      async (stage) => {
        await stage.greeted('a', 'ada', undefined, 'quiz');
        await stage.host.receive({ contact: 'ada', text: 'Maria' });
        await stage.agent.finish('fine');
        await stage.agent.fail('an outage');
        await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
        // A repeated text is another message.
        await stage.host.receive({ contact: 'ada', text: 'Maria' });
        await stage.host.receive({ contact: 'ada', text: 'Lima' });
        await go(stage);
        await stage.host.resume('a');
        expect(await stage.agent.answer('first')).toMatchObject({ key: 'a/1/reply' });
        const judged = await stage.agent.finish('fine');
        expect([judged.key, judged.input.input]).toEqual(['a/2/judge', 'Maria\nLima']);
        await stage.answers('a', 'second');
        expect(stage.agent.made.slice(1)).toEqual([
          'a/1/judge',
          'a/1/reply',
          'a/1/reply',
          'a/2/judge',
          'a/2/reply',
        ]);
      },
    );
  }

  fact('a reply that was cut off is not said, and thoughts are not', async (stage) => {
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.answer({ text: 'It costs', finishReason: 'length' });
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    await stage.host.resume('a');
    await stage.answers('a', '<think>Five, I think.</think>It costs 5.');
    expect(await stage.said('a')).toEqual(['agent: It costs 5.']);
  });

  fact('a manual message retries a failed call', async (stage) => {
    await stage.greeted('a', 'ada', undefined, 'quiz');
    await stage.host.receive({ contact: 'ada', text: 'Maria' });
    await stage.agent.finish('fine');
    await stage.agent.fail('an outage');
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    await stage.host.intervene('a', 'A person here.');
    expect(await stage.agent.answer('About Maria.')).toMatchObject({ key: 'a/1/reply' });
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    expect(stage.agent.made.filter((key) => key === 'a/1/judge')).toHaveLength(1);
  });

  fact('a failed turn may be cancelled', async (stage) => {
    await stage.greeted('a', 'ada', undefined, 'quiz');
    await stage.host.receive({ contact: 'ada', text: 'Maria' });
    await stage.agent.fail('an outage');
    await stage.reaches('a', 'NEEDS_HUMAN_INTERVENTION');
    expect(await stage.host.cancel('a')).toMatchObject({ accepted: true, state: 'FAILED' });
    expect(stage.agent.open).toEqual([]);
  });

  fact('a reminder that fails is retried, and the conversation does not change', async (stage) => {
    await stage.greeted('a', 'ada', { interval_ms: 40, max_followups: 1_000 });
    await stage.agent.fail('an outage');
    await stage.agent.answer('Are you there?');
    await until(() => stage.channel.texts.includes('Are you there?'), 'the reminder');
    await stage.host.receive({ contact: 'ada', text: 'Hi.' });
    // A slow host may have made another reminder before: the message waits for its end.
    for (let heard: unknown; heard !== 'Hi.';)
      heard = (await stage.agent.answer('Good.')).input.message;
  });
}
