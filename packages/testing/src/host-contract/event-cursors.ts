import type { Host, HostEvent } from '@dramaturg/host';
import { journalLineOf } from '@dramaturg/host/engine';
import { expect } from 'vitest';
import { aWhile, type Fact, type HostStage, until } from './stage.ts';

const fromBeginning = (instance: string) => ({ instance, after: 'beginning' });

/** Events as another process gets them. Each kind of stream has its own cursors. */
const asJson = (events: readonly HostEvent[]) =>
  JSON.parse(
    JSON.stringify(events.map((event) => ({ ...event, cursor: undefined }))),
  ) as HostEvent[];

/** A job that calls a conversation as its first agent. */
const withChild = { definitionOf: (agent: string) => (agent === 'first' ? 'chat' : undefined) };

/** Collects events until the iteration ends. */
function collected(events: AsyncIterable<HostEvent>) {
  const seen: HostEvent[] = [];
  const ended = (async () => {
    for await (const event of events) seen.push(event);
  })();
  return { seen, ended };
}

/** The events that an instance has stored. */
async function replayed({ host }: HostStage, id: string, after = 'beginning') {
  const lines = (await host.journal(id, { from: 0, limit: 1_000 })) as unknown as HostEvent[];
  const isEvent = ({ source }: HostEvent) => (source as string) !== 'step';
  const skipped = after === 'beginning' ? 0 : Number.parseInt(after, 10);
  const count = lines.slice(skipped).filter(isEvent).length;
  const events: HostEvent[] = [];
  if (count === 0) return events;
  for await (const event of host.events({ instance: id, after }))
    if (events.push(event) === count) break;
  return events;
}

/** Events after a cursor: the stored ones, then new ones. */
export function eventCursors(fact: Fact): void {
  fact('a replay gives the same events as the live stream', async (stage) => {
    const host = await stage.reopen(withChild);
    const live = collected(host.events());
    await stage.greeted('a', 'ada');
    await host.receive({ contact: 'ada', text: 'Hi there.', id: 'm 1' });
    await stage.agent.answer('How are you?');
    await until(() => stage.channel.texts.includes('How are you?'), 'the answer');
    expect(await host.intervene('a', 'A person here.')).toMatchObject({ accepted: true });
    await host.start('job', { id: 'j' });
    await stage.agent.answer({ text: 'Bye.', toolCalls: [{ name: 'end', arguments: {} }] });
    await until(async () => (await host.get('j')).flow === 'asking', 'the question');
    await host.send('j', { type: 'decision.made', decision: 'yes' });
    await stage.agent.finish('second result');
    await stage.reaches('j', 'COMPLETED');
    const stored = async () => {
      const { items } = await host.list();
      const parts = await Promise.all(items.map(({ id }) => replayed(stage, id)));
      return asJson(parts.flat());
    };
    const liveEvents = () => asJson(live.seen.filter(({ cursor }) => cursor !== undefined));
    await host.settle();
    await until(
      async () => (await stored()).length === liveEvents().length,
      async () => `as many live events as the ${(await stored()).length} stored ones`,
    );
    const replay = await stored();
    const of = (id: string, events: ReturnType<typeof asJson>) =>
      events.filter(({ instance }) => instance === id);
    for (const { instance } of replay)
      expect(of(instance, liveEvents())).toEqual(of(instance, replay));
    const texts = replay.map(({ event }) => event['text']);
    for (const text of ['Hi there.', 'How are you?', 'A person here.', 'Bye.'])
      expect(texts).toContain(text);
    expect(replay.some(({ within }) => within?.[0] === 'j')).toBe(true);
    expect(replay.some(({ event }) => event['role'] === 'manual')).toBe(true);
  });

  fact('a stream goes on after its cursor when the host was stopped in between', async (stage) => {
    const seen: HostEvent[] = [];
    await stage.host.start('chat', { id: 'a', contact: 'ada' });
    for (const round of [1, 2, 3]) {
      const after = seen.at(-1)?.cursor ?? 'beginning';
      const stream = collected(stage.host.events({ instance: 'a', after }));
      await stage.agent.answer(`Answer ${round}.`);
      await until(() => stage.channel.texts.includes(`Answer ${round}.`), 'the answer');
      const message = { contact: 'ada', text: `Message ${round}.`, id: `m ${round}` };
      expect(await stage.host.receive(message)).toMatchObject({ accepted: true });
      await until(() => stream.seen.length > 0, 'an event');
      stage.agent.forget();
      await stage.reopen();
      await stream.ended;
      seen.push(...stream.seen);
    }
    const rest = await replayed(stage, 'a', seen.at(-1)!.cursor);
    const all = await replayed(stage, 'a');
    expect([...seen, ...rest].slice(0, all.length)).toEqual(all);
    expect(new Set(all.map(({ cursor }) => cursor)).size).toBe(all.length);
  });

  fact.greeted('a subscriber that is slow misses nothing after a cursor', async (stage) => {
    const events = stage.host.events({ ...fromBeginning('a'), types: ['message.recorded'] });
    const texts = Array.from({ length: 60 }, (_, index) => `Message ${index}.`);
    await stage.host.pause('a');
    for (const text of texts) await stage.host.receive({ contact: 'ada', text });
    const heard: unknown[] = [];
    for await (const { event } of events) if (heard.push(event['text']) === texts.length) break;
    expect(heard).toEqual(texts);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  fact.greeted('a fork has cursors of its own, and those of its original stay', async (stage) => {
    const before = await replayed(stage, 'a');
    await stage.host.fork('a', { id: 'copy', step: 1 });
    const forked = await replayed(stage, 'copy');
    const types = forked.map(({ event }) => event.type);
    const end = types.lastIndexOf('instance.forked');
    const copied = forked
      .slice(0, end)
      .map(({ at, source, event: { type } }) => [at, source, type]);
    expect(copied).toEqual(
      before.slice(0, end).map(({ at, source, event: { type } }) => [at, source, type]),
    );
    const stream = collected(
      stage.host.events({ instance: 'copy', after: forked.at(-1)!.cursor! }),
    );
    await stage.agent.answer('Hello from the copy.');
    await until(
      () => stream.seen.some(({ event }) => event['text'] === 'Hello from the copy.'),
      'the reply of the copy',
    );
    expect(await replayed(stage, 'a')).toEqual(before);
  });

  fact.greeted(
    'the stream of an erased instance ends with an error, and so does its cursor',
    async (stage) => {
      const { cursor } = (await replayed(stage, 'a')).at(-1)!;
      const streams = [fromBeginning('a'), { instance: 'a' }].map((filter) =>
        collected(stage.host.events(filter)),
      );
      const failures = streams.map(({ ended }) => ended.catch((error: unknown) => error));
      await stage.host.receive({ contact: 'ada', text: 'Hi there.', id: 'm 1' });
      await until(() => streams.every(({ seen }) => seen.length > 0), 'the events of a message');
      await stage.host.erase({ contact: 'ada', running: 'end' });
      for (const failure of failures)
        expect(await failure).toMatchObject({ message: 'There is no instance "a".' });
      await expect(stage.host.events({ instance: 'a', after: cursor! }).next()).rejects.toThrow(
        'There is no instance "a".',
      );
      await stage.greeted('a', 'ada');
      await expect(stage.host.events({ instance: 'a', after: cursor! }).next()).rejects.toThrow(
        'The journal of "a" does not have the event of this cursor: it belongs to another instance, or to one that was erased. Follow the instance after "beginning".',
      );
    },
  );

  fact.greeted('a signal ends the stream', async (stage) => {
    for (const filter of [{}, fromBeginning('a')]) {
      const stop = new AbortController();
      const { ended } = collected(stage.host.events({ ...filter, signal: stop.signal }));
      await aWhile();
      stop.abort();
      await ended;
      const late = stage.host.events({ ...filter, signal: stop.signal });
      expect(await late.next()).toEqual({ done: true, value: undefined });
    }
  });

  fact('a cursor is refused where it says nothing', async ({ host }) => {
    expect(() => host.events({ ...fromBeginning('a'), descendants: true })).toThrow(
      'A cursor belongs to one instance or to all of them: "after" goes without "descendants". Follow each instance after its own cursor, or leave "instance" out.',
    );
    expect(() => host.events({ instance: 'a', after: 'yesterday' })).toThrow(
      '"after" is the cursor of an event or "beginning", not "yesterday".',
    );
    await expect(host.events(fromBeginning('nobody')).next()).rejects.toThrow(
      'There is no instance "nobody".',
    );
  });
}

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
      await stage.answers('a', 'Hello.');
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
    await stage.answers('a', 'Hello.');
    const reader = follow(host, await host.readerPosition('it').begin(true));
    await until(() => reader.types('a').includes('turn.ended'), 'the events');
    await reader.stop();
    expect(reader.types('a')[0]).toBe('state.entered');
  });
}
