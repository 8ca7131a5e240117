import { expect } from 'vitest';
import type { EventFilter, HostEvent } from '@dramaturg/host';
import { Chance } from '../random-records.ts';
import { aWhile, type Fact, type HostStage, until } from './stage.ts';

/** Events without their cursors, as another process gets them. */
const withoutCursors = (events: readonly HostEvent[]) =>
  JSON.parse(
    JSON.stringify(events.map((event) => ({ ...event, cursor: undefined }))),
  ) as HostEvent[];

const ofInstance = (id: string, events: readonly HostEvent[]) =>
  events.filter(({ instance }) => instance === id);

function isStored({ cursor }: HostEvent): boolean {
  return cursor !== undefined;
}

/** Collects events until the iteration ends. */
function collected({ host }: HostStage, filter: EventFilter) {
  const seen: HostEvent[] = [];
  const stop = new AbortController();
  const iteration = host.events({ ...filter, signal: stop.signal });
  const ended = (async () => {
    for await (const event of iteration) seen.push(event);
  })();
  return {
    seen,
    ended,
    end: async () => {
      stop.abort();
      await ended;
      return seen;
    },
  };
}

/** The events in the journal of an instance, with their texts. */
async function journalOf({ host }: HostStage, id: string): Promise<HostEvent[]> {
  const lines = (await host.journal(id, { from: 0, limit: 1_000 })) as unknown as HostEvent[];
  const count = lines.filter(({ source }) => (source as string) !== 'step').length;
  const events: HostEvent[] = [];
  for await (const event of host.events({ instance: id, after: 'beginning' }))
    if (events.push(event) === count) break;
  return events;
}

/** Waits until a stream has given as many events as the journals have, and compares them with each journal. */
async function expectJournals(
  stage: HostStage,
  ids: readonly string[],
  seen: () => readonly HostEvent[],
): Promise<void> {
  const journals = async () => Promise.all(ids.map((id) => journalOf(stage, id)));
  await stage.host.settle();
  const lengthOf = (lists: readonly (readonly HostEvent[])[]) => lists.flat().length;
  await until(
    async () => seen().length >= lengthOf(await journals()),
    async () => `${lengthOf(await journals())} events; there are ${seen().length}`,
  );
  await aWhile();
  for (const [index, journal] of (await journals()).entries())
    expect(withoutCursors(ofInstance(ids[index]!, seen()))).toEqual(withoutCursors(journal));
  expect(seen()).toHaveLength(lengthOf(await journals()));
  expect(new Set(seen().map(({ cursor }) => cursor)).size).toBe(seen().length);
}

/** Events of all instances and of contacts after a cursor: one order for the whole store. */
export function eventFeed(fact: Fact): void {
  fact.greeted('the events of all instances come after a cursor, in one order', async (stage) => {
    await stage.greeted('b', 'bob');
    const stream = collected(stage, { after: 'beginning' });
    await stage.host.receive({ contact: 'bob', text: 'Hi from Bob.', id: 'm 1' });
    await stage.agent.answer('Hello Bob.');
    await until(() => stage.channel.texts.includes('Hello Bob.'), 'the answer');
    await stage.host.pause('a');
    await expectJournals(stage, ['a', 'b'], () => stream.seen);
    const texts = stream.seen.map(({ event }) => event['text']);
    for (const text of ['Hello from a.', 'Hi from Bob.', 'Hello Bob.'])
      expect(texts).toContain(text);
    // The events after any cursor are the same.
    for (const [index, { cursor }] of stream.seen.entries()) {
      const rest = collected(stage, { after: cursor! });
      const left = stream.seen.slice(index + 1);
      await until(() => rest.seen.length >= left.length, 'the rest');
      expect(await rest.end()).toEqual(left);
    }
  });

  fact('a contact has a stream of its own, live and after a cursor', async (stage) => {
    const live = collected(stage, { contact: 'ada' });
    await stage.greeted('a', 'ada');
    await until(() => live.seen.some(isStored), 'an event');
    const half = live.seen.findLast(isStored)!.cursor!;
    await stage.greeted('b', 'bob');
    await stage.host.receive({ contact: 'ada', text: 'Hi from Ada.', id: 'm 1' });
    await stage.agent.answer('Hello Ada.');
    await until(() => stage.channel.texts.includes('Hello Ada.'), 'the answer');
    await expectJournals(stage, ['a'], () => live.seen.filter(isStored));
    const all = collected(stage, { contact: 'ada', after: 'beginning' });
    const rest = collected(stage, { contact: 'ada', after: half });
    const afterBob = collected(stage, {
      contact: 'bob',
      after: live.seen.find(isStored)!.cursor!,
    });
    const stored = live.seen.filter(isStored);
    const left = stored.slice(stored.findIndex(({ cursor }) => cursor === half) + 1);
    await until(() => all.seen.length >= stored.length, 'all events of the contact');
    await until(() => rest.seen.length >= left.length, 'the rest of them');
    expect(await all.end()).toEqual(stored);
    expect(await rest.end()).toEqual(left);
    await expectJournals(stage, ['b'], () => afterBob.seen);
  });

  fact.greeted('a client that begins live goes on after its last cursor', async (stage) => {
    await stage.host.settle();
    const before = await journalOf(stage, 'a');
    const live = collected(stage, {});
    await stage.greeted('b', 'bob');
    // A refusal is not stored.
    await stage.host.resume('a');
    await until(() => live.seen.some((event) => !isStored(event)), 'the refusal');
    await stage.reopen();
    await live.ended;
    const seen = live.seen.filter(isStored);
    await stage.host.receive({ contact: 'ada', text: 'Hi.', id: 'm 1' });
    await stage.agent.answer('Hello.');
    await until(() => stage.channel.texts.includes('Hello.'), 'the answer');
    const rest = collected(stage, { after: seen.at(-1)!.cursor! });
    await expectJournals(stage, ['a', 'b'], () => [...before, ...seen, ...rest.seen]);
  });

  fact.greeted('a live stream has the events from its subscription on', async (stage) => {
    await stage.host.settle();
    const stream = stage.host.events({ types: ['message.recorded'] });
    await stage.host.receive({ contact: 'ada', text: 'Now.', id: 'm 1' });
    const { value } = await stream.next();
    expect(value?.event['text']).toBe('Now.');
    await stream.return?.();
  });

  fact.greeted('an erased instance leaves the stream of all instances', async (stage) => {
    await stage.greeted('b', 'bob');
    await stage.host.settle();
    const all = collected(stage, { after: 'beginning' });
    await expectJournals(stage, ['a', 'b'], () => all.seen);
    const cursors = (await all.end()).map(({ instance, cursor }) => ({ instance, cursor }));
    await stage.host.erase({ contact: 'ada', running: 'end' });
    const bobs = await journalOf(stage, 'b');
    const rest = collected(stage, { after: 'beginning' });
    await expectJournals(stage, ['b'], () => rest.seen);
    await rest.end();
    // Also after the cursor of an event that was erased.
    for (const [index, { cursor }] of cursors.entries()) {
      const left = cursors.slice(index + 1).filter(({ instance }) => instance === 'b').length;
      const again = collected(stage, { after: cursor! });
      await until(() => again.seen.length >= left, 'the events that are left');
      const expected = left === 0 ? [] : bobs.slice(-left);
      expect(withoutCursors(await again.end())).toEqual(withoutCursors(expected));
    }
    await stage.greeted('a', 'ada');
    const last = collected(stage, { after: cursors.at(-1)!.cursor! });
    await expectJournals(stage, ['a'], () => last.seen.filter(({ instance }) => instance === 'a'));
  });

  fact.greeted('a slow subscriber of all instances misses nothing', async (stage) => {
    await stage.host.pause('a');
    const live = stage.host.events({ types: ['message.recorded'] });
    const replay = stage.host.events({ after: 'beginning', types: ['message.recorded'] });
    const texts = Array.from({ length: 150 }, (_, index) => `Message ${index}.`);
    for (const text of texts) await stage.host.receive({ contact: 'ada', text });
    for (const events of [live, replay]) {
      const heard: unknown[] = [];
      for await (const { event } of events) if (heard.push(event['text']) === texts.length) break;
      expect(heard).toEqual(texts);
    }
  });

  fact('a live stream of all instances gives its events when the host stops', async (stage) => {
    const live = stage.host.events({ types: ['message.recorded'] });
    await stage.greeted('a', 'ada');
    await stage.host.receive({ contact: 'ada', text: 'The last one.', id: 'm 1' });
    await stage.host.stop({ within: 0 });
    const texts: unknown[] = [];
    for await (const { event } of live) texts.push(event['text']);
    expect(texts).toContain('The last one.');
    await stage.open();
  });

  fact.greeted('a cursor of another store is refused', async (stage) => {
    const { cursor = '' } = (await stage.host.events({ after: 'beginning' }).next()).value ?? {};
    const message =
      'The store does not have the event of this cursor: it belongs to another store, or to one that was restored from a backup. Follow the instances after "beginning".';
    const [position, line, at, ...feed] = cursor.split('-');
    const rest = feed.join('-');
    for (const other of [
      `${position}-${line}-${at}-another${rest}`,
      `${position}-${line}-1-${rest}`,
      `${position}-900-${at}-${rest}`,
      `900000-${line}-${at}-${rest}`,
    ])
      await expect(stage.host.events({ after: other }).next()).rejects.toThrow(message);
    expect(() => stage.host.events({ after: `${line}-${at}` })).toThrow(
      `Without "instance", "after" is "beginning" or the cursor of an event of a stream without "instance", not "${line}-${at}".`,
    );
    expect(() => stage.host.events({ instance: 'a', after: cursor })).toThrow(
      '"after" is the cursor of an event or "beginning"',
    );
  });

  fact(
    'reconnects at any cursor give each event once, in the order of its journal',
    async (stage) => {
      const chance = new Chance(11);
      const contacts = ['ada', 'bob', 'cleo'];
      const filters: EventFilter[] = [{}, { contact: 'ada' }, { contact: 'cleo' }];
      const clients = filters.map((filter) => ({
        filter,
        seen: [] as HostEvent[],
        stream: collected(stage, { ...filter, after: 'beginning' }),
      }));
      const reconnect = async (client: (typeof clients)[number]) => {
        const { seen, stream, filter } = client;
        await stream.end();
        // The client has handled only a part of the events that it got.
        seen.push(...stream.seen.slice(0, chance.between(0, stream.seen.length)));
        const after = seen.at(-1)?.cursor ?? 'beginning';
        client.stream = collected(stage, { ...filter, after });
      };
      for (const contact of contacts) await stage.greeted(`of ${contact}`, contact);
      for (let round = 0; round < 40; round += 1) {
        const contact = chance.of(contacts);
        const pending = chance.of([
          async () => void (await stage.host.receive({ contact, text: `Round ${round}.` })),
          async () => void (await stage.host.pause(`of ${contact}`)),
          async () => void (await stage.host.resume(`of ${contact}`)),
          async () =>
            void (stage.agent.open.length > 0 && (await stage.agent.answer(`Answer ${round}.`))),
          async () => {
            if (round % 3 === 0) await stage.reopen();
          },
        ])();
        if (chance.next() < 0.5) await pending;
        if (chance.next() < 0.4) await reconnect(chance.of(clients));
        await pending;
      }
      for (const { filter, seen, stream } of clients) {
        const ids = contacts
          .filter((contact) => filter.contact === undefined || filter.contact === contact)
          .map((contact) => `of ${contact}`);
        // Reopening the host has ended the stream.
        await stream.end();
        const rest = collected(stage, {
          ...filter,
          after: [...seen, ...stream.seen].at(-1)?.cursor ?? 'beginning',
        });
        await expectJournals(stage, ids, () => [...seen, ...stream.seen, ...rest.seen]);
      }
    },
  );
}

/** Events of contacts, also for hosts without a common order of their instances. */
export function contactEvents(fact: Fact): void {
  fact('the live events of a contact are those of its instances', async (stage) => {
    const live = collected(stage, { contact: 'ada' });
    await stage.greeted('b', 'bob');
    await stage.greeted('a', 'ada');
    await until(() => live.seen.length > 0, 'an event');
    await stage.host.settle();
    const expected = (await journalOf(stage, 'a')).map(({ event }) => event.type);
    const types = () => live.seen.filter(isStored).map(({ event }) => event.type);
    await until(() => types().length >= expected.length, 'all events');
    expect(types()).toEqual(expected);
    expect(new Set(live.seen.map(({ instance }) => instance))).toEqual(new Set(['a']));
  });

  fact('events are of one instance or of one contact', async ({ host }) => {
    expect(() => host.events({ instance: 'a', contact: 'ada' })).toThrow(
      'Events are of one "instance" or of one "contact". Name one of the two.',
    );
    expect(() => host.events({ contact: '' })).toThrow('contact');
  });
}
