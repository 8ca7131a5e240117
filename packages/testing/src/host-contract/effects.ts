import { RejectedError } from '@dramaturg/host';
import { expect } from 'vitest';
import { aWhile, type Fact, type HostStage, refuses, until } from './stage.ts';

/** Calls and messages: stored before they leave, and never lost. */
export function effects(fact: Fact): void {
  fact('H2: a message is stored before the channel is called', async (stage) => {
    let said: string[] = [];
    stage.channel.behave = async () => void (said = await stage.said('a'));
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.answer('Hello.');
    await until(() => stage.channel.taken.length === 1, 'the delivery');
    expect(said).toEqual(['agent: Hello.']);
  });

  fact('H2: a call is stored before it is made', async (stage) => {
    let stored: readonly string[] | undefined;
    const reply = async () => {
      // The answer waits for this read, because after it is stored the call is not open any more.
      stored = (await stage.host.get('a')).calls;
      return { text: 'Hello.' };
    };
    await stage.reopen({ ports: { reply } });
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await until(() => stored !== undefined, 'the call');
    expect(stored).toEqual(['a/0/reply']);
  });

  fact(
    'H4: a call that was in flight at a restart is made again with the same key',
    async (stage) => {
      await stage.host.start('chat', { id: 'a', contact: 'ada' });
      const { key } = await stage.agent.next();
      await stage.reopen();
      const call = await stage.agent.answer('Hello.');
      expect(call.key).toBe(key);
      await stage.reaches('a', 'WAITING_FOR_REPLY');
      expect(stage.agent.made).toEqual([key, key]);
      expect(await stage.said('a')).toEqual(['agent: Hello.']);
    },
  );

  fact.greeted('H4: a call whose answer is stored is never made again', async (stage) => {
    await stage.reopen();
    await aWhile();
    expect(stage.agent.made).toEqual(['a/0/reply']);
    expect(stage.channel.called).toHaveLength(1);
  });

  fact(
    'a message that the channel did not take is handed over again, with the same id',
    async (stage) => {
      let failures = 1;
      stage.channel.behave = () => {
        failures -= 1;
        if (failures >= 0) throw new Error('not connected');
      };
      await stage.host.start('chat', { id: 'a', contact: 'ada' });
      await stage.agent.answer('Hello.');
      await until(() => stage.channel.taken.length === 1, 'the second attempt');
      expect(new Set(stage.channel.called).size).toBe(1);
      expect(stage.trouble.map(({ error }) => (error as Error).message)).toEqual(['not connected']);
    },
  );

  fact('a message that was not delivered before a restart is delivered after it', async (stage) => {
    stage.channel.isDown = true;
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.answer('Hello.');
    await until(() => stage.channel.called.length > 0, 'the first attempt');
    expect((await stage.host.get('a')).undelivered).toEqual(['a/0/reply']);
    stage.channel.isDown = false;
    await stage.reopen();
    await until(() => stage.channel.taken.length === 1, 'the delivery');
    await until(async () => (await stage.host.get('a')).undelivered.length === 0, 'the receipt');
  });

  fact(
    'a message for an unknown channel is kept for a host that has the channel',
    async (stage) => {
      const { channel } = stage;
      channel.isDown = true;
      await stage.host.start('chat', { id: 'a', contact: 'ada', channel: 'main' });
      await stage.agent.answer('Hello.');
      await until(() => channel.called.length > 0, 'the first attempt');
      const { trouble } = stage;
      for (const channels of [{ other: { deliver: () => {} } }, {}]) {
        // A stopping host may report earlier trouble.
        await stage.host.stop({ within: 0 });
        trouble.length = 0;
        await stage.open({ channels });
        expect(await stage.host.settle()).toBe(true);
        expect((await stage.host.get('a')).undelivered).toEqual(['a/0/reply']);
        expect(trouble.map(({ error }) => (error as Error).message)).toEqual([
          'There is no channel "main". The message is kept.',
        ]);
        const answer = await stage.host.intervene('a', 'A note.');
        expect(answer.accepted ? '' : answer.because).toContain('There is no channel "main".');
      }
      channel.isDown = false;
      await stage.reopen();
      await until(() => channel.texts.includes('Hello.'), 'the delivery');
      await until(async () => (await stage.host.get('a')).undelivered.length === 0, 'the receipt');
      expect(channel.texts).toEqual(['Hello.']);
    },
  );

  fact('a channel call that hangs is repeated after a timeout', async (stage) => {
    await stage.reopen({ deliveryTimeout: 40 });
    let hangs = true;
    stage.channel.behave = (_, signal) => {
      if (!hangs) return;
      hangs = false;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.answer('Hello.');
    await until(() => stage.channel.taken.length === 1, 'the second attempt');
    expect(stage.channel.called).toEqual(['a/0/reply', 'a/0/reply']);
  });

  fact.greeted('messages of one conversation are delivered in order', async (stage) => {
    stage.channel.isDown = true;
    for (const text of ['one', 'two', 'three']) {
      await stage.host.receive({ contact: 'ada', text });
      await stage.answers('a', text);
    }
    stage.channel.isDown = false;
    await until(() => stage.channel.taken.length === 4, 'all of them');
    expect(stage.channel.texts.slice(1)).toEqual(['one', 'two', 'three']);
  });

  fact('a turn in flight is finished before the host stops, if there is time', async (stage) => {
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    const call = await stage.agent.next();
    const stopping = stage.host.stop({ within: 5_000 });
    call.resolve({ text: 'Hello.' } as never);
    await stopping;
    expect(stage.channel.texts).toEqual(['Hello.']);
    await refuses(stage.host.start('chat'), 'host/stopped');
  });

  fact('a host stops at the end of the block that uses it', async (stage) => {
    {
      await using host = stage.host;
      await host.start('chat', { id: 'a' });
      await stage.agent.answer('Hello.');
    }
    await refuses(stage.host.start('chat'), 'host/stopped');
  });
}

const whole = { from: 0, limit: 1_000 };

async function deliveryOf({ host }: HostStage, instance: string, message: string) {
  const lines = await host.transcript(instance, whole);
  return lines.find(({ id }) => id === message)?.delivery;
}

async function reportsIn({ host }: HostStage, instance: string) {
  const lines = (await host.journal(instance, whole)) as { source: string; event: object }[];
  return lines.flatMap(({ source, event }) =>
    source === 'host' && 'type' in event && event.type === 'delivery.reported' ? [event] : [],
  );
}

/** The id of the message that the greeted contact got. */
const greeting = (id: string) => `${id}/0/reply`;

export function deliveryReports(fact: Fact): void {
  fact(
    'a report is in the journal and at the line of its message, also after a restart',
    async (stage) => {
      await stage.greeted('a');
      const message = greeting('a');
      const report = {
        instance: 'a',
        message,
        status: 'failed',
        reason: 'Unknown number.',
      } as const;

      expect(await stage.host.reportDelivery(report)).toMatchObject({ accepted: true });
      expect(await deliveryOf(stage, 'a', message)).toEqual({
        status: 'failed',
        reason: 'Unknown number.',
        at: expect.any(Number),
      });
      await stage.reopen();
      expect(await deliveryOf(stage, 'a', message)).toMatchObject({ status: 'failed' });
      expect(await reportsIn(stage, 'a')).toEqual([
        { type: 'delivery.reported', id: message, status: 'failed', reason: 'Unknown number.' },
      ]);
    },
  );

  fact(
    'repeated and late reports change nothing: read never goes back to delivered',
    async (stage) => {
      await stage.greeted('a');
      const message = greeting('a');
      for (const status of ['read', 'read', 'delivered', 'failed'] as const)
        await stage.host.reportDelivery({ instance: 'a', message, status });

      expect(await deliveryOf(stage, 'a', message)).toMatchObject({ status: 'read' });
      expect(await reportsIn(stage, 'a')).toHaveLength(1);
    },
  );

  fact('reports in any order end with the strongest', async (stage) => {
    await stage.greeted('a');
    const message = greeting('a');
    for (const status of ['failed', 'delivered', 'read'] as const)
      await stage.host.reportDelivery({ instance: 'a', message, status });

    expect(await deliveryOf(stage, 'a', message)).toMatchObject({ status: 'read' });
    expect(await reportsIn(stage, 'a')).toHaveLength(3);
  });

  fact('an instance that has ended takes reports, and changes nothing else', async (stage) => {
    await stage.greeted('a');
    await stage.host.cancel('a');
    const message = greeting('a');
    await stage.host.reportDelivery({ instance: 'a', message, status: 'delivered' });

    expect(await deliveryOf(stage, 'a', message)).toMatchObject({ status: 'delivered' });
    expect(await stage.host.get('a')).toMatchObject({ ended: true });
  });

  fact('a message that its channel rejects for good shows it at its line', async (stage) => {
    stage.channel.behave = () => {
      throw new RejectedError('Blocked by the person.');
    };
    await stage.host.start('chat', { id: 'a', contact: 'Ada' });
    await stage.agent.answer('Hello.');

    await until(
      async () => (await deliveryOf(stage, 'a', greeting('a'))) !== undefined,
      'the rejection',
    );
    expect(await deliveryOf(stage, 'a', greeting('a'))).toMatchObject({
      status: 'failed',
      reason: 'Blocked by the person.',
    });
  });

  fact('reports of unknown instances and of a wrong shape are refused', async (stage) => {
    await stage.greeted('a');
    const report = { instance: 'a', message: greeting('a'), status: 'read' } as const;
    const { host } = stage;

    await refuses(host.reportDelivery({ ...report, instance: 'b' }), 'host/unknown-instance');
    for (const wrong of [
      { status: 'seen' },
      { message: '' },
      { message: 'm'.repeat(1_025) },
      { reason: 1 },
    ])
      await refuses(host.reportDelivery({ ...report, ...wrong } as never), 'host/bad-request');
    await refuses(host.reportDelivery({ ...report, state: 'x' } as never), 'host/unknown-option');
  });

  fact(
    'the latest hundred messages show their reports, and the journal has all of them',
    async (stage) => {
      await stage.greeted('a');
      const message = greeting('a');
      const report = (id: string) =>
        stage.host.reportDelivery({ instance: 'a', message: id, status: 'delivered' });
      await report(message);
      for (let index = 1; index < 100; index++) await report(`other ${index}`);
      expect(await deliveryOf(stage, 'a', message)).toMatchObject({ status: 'delivered' });

      await report('other 100');
      expect(await deliveryOf(stage, 'a', message)).toBeUndefined();
      expect(await reportsIn(stage, 'a')).toHaveLength(101);
    },
  );
}
