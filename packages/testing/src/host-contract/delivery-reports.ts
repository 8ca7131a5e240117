import { RejectedError } from '@dramaturg/host';
import { expect } from 'vitest';
import { type Fact, type HostStage, until, refuses } from './stage.ts';

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
