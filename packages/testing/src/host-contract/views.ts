import { expect } from 'vitest';
import type { HostEvent } from '@dramaturg/host';
import type { Fact } from './stage.ts';

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

  fact('transcripts and journals are read in parts', async (stage) => {
    await stage.greeted('a', 'ada');
    const all = await stage.host.transcript('a', { from: 0, limit: 100 });
    const [second] = await stage.host.transcript('a', { from: 1, limit: 1 });
    expect(second).toEqual(all[1]);
    const { transcriptLength, journalLength } = await stage.host.get('a');
    expect(all).toHaveLength(transcriptLength);
    expect(await stage.host.journal('a', { from: 0, limit: 1_000 })).toHaveLength(journalLength);
  });
}
