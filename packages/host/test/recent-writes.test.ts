import { expect, test } from 'vitest';
import { FeedStreams } from '../src/host/feed-streams.ts';
import { HostStore } from '../src/host/host-store.ts';
import { originOf } from '../src/host/origin.ts';
import type { HostEvent } from '../src/instance/event.ts';
import type { Store } from '../src/store/contract.ts';
import { memoryStore } from '../src/store/memory.ts';
import { overriding } from '../src/store/overriding.ts';
import { Chance } from '@dramaturg/testing';

const record = { kind: 'instance', createdAt: 1, status: 's', snapshot: { lifecycle: {} } };
const line = (at: number, type = 'tick') => ({ at, source: 'flow', event: { type } });
const received = (at: number) => ({
  at,
  source: 'flow',
  event: { type: 'message.received', id: `m${at}` },
});
const said = (at: number) => ({ id: `m${at}`, role: 'contact', text: `text ${at}`, at });

/** A store whose writes are reported to streams, and the reads of these streams. */
async function openStreams() {
  const stored = await memoryStore().open('the test');
  const reads: string[] = [];
  const counted = (name: 'read' | 'feed' | 'journal' | 'transcript') =>
    ((...given: readonly never[]) => {
      reads.push(name);
      return (stored[name] as (...given: readonly never[]) => unknown)(...given);
    }) as never;
  const streams = new FeedStreams(
    overriding(stored, {
      read: counted('read'),
      feed: counted('feed'),
      journal: counted('journal'),
      transcript: counted('transcript'),
    }),
  );
  await streams.open();
  reads.length = 0;
  const hostStore = new HostStore(stored, () => 1);
  hostStore.listen({
    onStored: (write, committed) => {
      const runner = { instance: { contact: write.id, state: { parent: { ancestors: ['top'] } } } };
      const isActive = !('kind' in write);
      const origin = originOf(write, isActive ? (runner as never) : undefined);
      streams.noteStored(write, committed, origin);
    },
    onError: (error) => expect.unreachable(String(error)),
  });
  return { stored, store: hostStore.store, streams, reads };
}

async function taken(
  stream: AsyncIterableIterator<HostEvent>,
  count: number,
): Promise<readonly HostEvent[]> {
  const events: HostEvent[] = [];
  for await (const event of stream) if (events.push(event) === count) break;
  return events;
}

test('a subscriber that has read everything reads nothing of new writes', async () => {
  const { store, streams, reads } = await openStreams();
  const [all, ofAda] = [streams.subscribe({}), streams.subscribe({ contact: 'ada' })];
  const waiting = [taken(all, 3), taken(ofAda, 3)];
  await store.create({ ...record, id: 'ada', contact: 'ada', journal: [line(1)] });
  streams.publish([], { contact: 'ada' });
  const journal = [{ at: 2, source: 'step', input: {} }, received(3), line(4)] as never[];
  await store.commit({ id: 'ada', expectedRevision: 1, journal, transcript: [said(3)] });
  streams.publish([], { contact: 'ada' });
  const [seen, same] = await Promise.all(waiting);
  expect(seen).toMatchObject([
    { instance: 'ada', at: 1, event: { type: 'tick' } },
    { at: 3, event: { type: 'message.received', text: 'text 3' } },
    { at: 4 },
  ]);
  expect(same).toEqual(seen);
  expect(reads).toEqual([]);
});

test('a write that was not noted is read before those after it', async () => {
  const { stored, store, streams, reads } = await openStreams();
  const waiting = taken(streams.subscribe({}), 3);
  await store.create({ ...record, id: 'a', journal: [line(1)] });
  await stored.create({ ...record, id: 'b', journal: [line(2)] });
  await store.create({ ...record, id: 'c', journal: [line(3)] });
  streams.publish([], {});
  expect((await waiting).map(({ at }) => at)).toEqual([1, 2, 3]);
  expect(reads).toContain('feed');
});

test('writes that are answered together and share a position are given whole', async () => {
  const { streams } = await openStreams();
  const waiting = taken(streams.subscribe({}), 2);
  streams.publish([], {});
  const stored = { revision: 1, transcriptLength: 0, position: 1 };
  for (const at of [1, 2]) {
    const write = { ...record, id: 'a', journal: [line(at)] };
    streams.noteStored(write, { ...stored, journalLength: at }, {});
    streams.publish([], {});
    // Promises that are fulfilled in the same turn may be seen some microtasks later.
    for (let count = 0; count < 20; count += 1) await Promise.resolve();
  }
  expect((await waiting).map(({ at }) => at)).toEqual([1, 2]);
});

test('subscribers see what the store has, in its order, however they and the writes mix', async () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const chance = new Chance(seed);
    const { stored, store, streams } = await openStreams();
    const end = new AbortController();
    const seen = Array.from({ length: 4 }, (_, index) =>
      follow(streams, { pause: index * 7, ...(index === 1 && { contact: 'c0' }) }, end.signal),
    );
    let at = 0;
    const counts = new Map<string, number>();
    for (let write = 0; write < 200; write += 1) {
      const id = `c${chance.between(0, 4)}`;
      // The last write is noted, as a host notes all.
      const target = write < 199 && chance.between(0, 39) === 0 ? stored : store;
      at += 1;
      const journal = [chance.between(0, 2) === 0 ? received(at) : line(at)];
      const lines = { journal, transcript: [said(at)] };
      await written(target, counts, { id, lines });
      if (chance.between(0, 3) > 0) streams.publish([], { contact: id });
      if (chance.between(0, 4) === 0) await new Promise((resolve) => setImmediate(resolve));
      if (chance.between(0, 99) === 0) {
        const gone = `c${1 + chance.between(0, 3)}`;
        if (await stored.delete(gone)) streams.erased(gone);
        counts.delete(gone);
      }
    }
    for (const contact of ['c0', 'c1', 'c2', 'c3', 'c4']) streams.publish([], { contact });
    const stays = ({ instance }: HostEvent) => instance === 'c0';
    const { length } = await stored.journal('c0', { from: 0, limit: 10_000 });
    const replay = await taken(streams.subscribe({ after: 'beginning', contact: 'c0' }), length);
    for (const events of seen) await expect.poll(() => events.filter(stays)).toEqual(replay);
    for (const events of seen) {
      const times = events.map((event) => event.at);
      expect(times).toEqual(times.toSorted((one, next) => one - next));
      expect(new Set(times).size).toBe(times.length);
    }
    end.abort();
  }
});

test('the next write is sent before subscribers get events of the one before', async () => {
  const { store, streams } = await openStreams();
  const order: string[] = [];
  const reading = taken(streams.subscribe({}), 1).then(() => order.push('event'));
  await store.create({ ...record, id: 'ada', journal: [line(1)] });
  streams.publish([], undefined);
  // The next step takes a while to decide. Then the store collects the writes of a turn.
  for (let steps = 0; steps < 100; steps += 1) await Promise.resolve();
  setImmediate(() => order.push('write'));
  await reading;
  expect(order).toEqual(['write', 'event']);
});

async function written(
  store: Store,
  counts: Map<string, number>,
  { id, lines }: { readonly id: string; readonly lines: object },
): Promise<void> {
  const revision = counts.get(id);
  if (revision === undefined) await store.create({ ...record, id, contact: id, ...lines });
  else await store.commit({ id, expectedRevision: revision, ...lines });
  counts.set(id, (revision ?? 0) + 1);
}

/** The events of a subscriber that rests after each of them for so many turns of the event loop. */
function follow(
  streams: FeedStreams,
  { pause, contact }: { readonly pause: number; readonly contact?: string },
  signal: AbortSignal,
): readonly HostEvent[] {
  const events: HostEvent[] = [];
  void (async () => {
    for await (const event of streams.subscribe({ signal, ...(contact && { contact }) })) {
      // As of a stream after a cursor, which has read the ancestors of the record.
      const { within: _, ...rest } = event;
      events.push(rest);
      for (let turn = 0; turn < pause; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  return events;
}
