import { expect } from 'vitest';
import { journalLineOf } from '@dramaturg/host/engine';
import type { Host, HostEvent } from '@dramaturg/host';
import { aWhile, type Fact, until } from './stage.ts';

/** Reads events until the reader is stopped. */
function follow(host: Host, after: string) {
  const stopping = new AbortController();
  const events: HostEvent[] = [];
  const reading = (async () => {
    for await (const event of host.readerPosition('it').events(after, stopping.signal))
      events.push(event);
  })();
  return {
    events,
    types: (instance: string) =>
      events.filter((each) => each.instance === instance).map(({ event }) => event.type),
    stop: async () => {
      stopping.abort();
      await reading;
    },
  };
}

/** A reader of all events continues in the next process. */
export function readerPositions(fact: Fact): void {
  fact('a reader without a position has none, and its names are checked', async ({ host }) => {
    expect(await host.readerPosition('it').load()).toBe(undefined);
    expect(() => host.readerPosition('../it')).toThrow('letters, digits');
  });

  fact('what is saved is loaded in the next process, for each reader alone', async (stage) => {
    const { host } = stage;
    await host.readerPosition('it').save('one', new Map([['nobody', 3]]));
    await host.readerPosition('it').save('two', new Map());
    await host.readerPosition('other').save('three', new Map());
    const next = await stage.reopen();
    expect(await next.readerPosition('it').load()).toBe('two');
    expect(await next.readerPosition('other').load()).toBe('three');
  });

  fact(
    'a reader goes on after what it has saved: no event twice, and none missing',
    async (stage) => {
      const { host } = stage;
      const position = host.readerPosition('it');
      const begin = await position.begin(false);
      const first = follow(host, begin);
      await stage.host.start('chat', { id: 'a', contact: 'ada' });
      await stage.agent.answer('Hello.');
      await stage.reaches('a', 'WAITING_FOR_REPLY');
      await until(() => first.types('a').includes('turn.ended'), 'the first events');
      const saved = first.events.slice(0, 4);
      await first.stop();
      const last = saved.at(-1)!;
      const isOrdered = await host.cursor().then(
        () => true,
        () => false,
      );
      await position.save(
        isOrdered ? last.cursor! : begin,
        new Map([['a', journalLineOf(last.cursor!)]]),
      );

      const next = await stage.reopen();
      await next.start('chat', { id: 'b', contact: 'ben' });
      await stage.agent.answer('Hello.');
      await stage.reaches('b', 'WAITING_FOR_REPLY');
      const second = follow(next, (await next.readerPosition('it').load())!);
      const journal = async (id: string) =>
        ((await next.journal(id, { from: 0, limit: 1_000 })) as unknown as HostEvent[])
          .filter(({ source }) => (source as string) !== 'step')
          .map(({ event }) => event.type);
      const all = [...(await journal('a')), ...(await journal('b'))];
      await until(() => saved.length + second.events.length >= all.length, 'the rest');
      await aWhile();
      await second.stop();
      const typesOfA = [...saved.map(({ event }) => event.type), ...second.types('a')];
      expect(typesOfA).toEqual(await journal('a'));
      expect(second.types('b')).toEqual(await journal('b'));
    },
  );

  fact('a reader from the beginning gets what was stored before it', async (stage) => {
    const { host } = stage;
    await host.start('chat', { id: 'a', contact: 'ada' });
    await stage.agent.answer('Hello.');
    await stage.reaches('a', 'WAITING_FOR_REPLY');
    const reader = follow(host, await host.readerPosition('it').begin(true));
    await until(() => reader.types('a').includes('turn.ended'), 'the events');
    await reader.stop();
    expect(reader.types('a')[0]).toBe('state.entered');
  });
}
