import { expect, test } from 'vitest';
import { FeedStreams } from '../src/host/feed-streams.ts';
import type { HostEvent } from '../src/instance/event.ts';
import { HostStore } from '../src/host/host-store.ts';
import { memoryStore } from '../src/store/memory.ts';
import { overriding } from '../src/store/overriding.ts';

const line = (type: string) => ({ at: 1, source: 'flow', event: { type } });
const record = { kind: 'instance', createdAt: 1, status: 's', snapshot: { lifecycle: {} } };

/** Streams that get a report of each write, but do not remember them: as of records whose origin is not known. */
async function openStreams() {
  const stored = await memoryStore().open('the test');
  const reads: string[] = [];
  const counted = overriding(stored, {
    feed: (request) => {
      reads.push(`feed ${request.contact ?? ''}`);
      return stored.feed(request);
    },
    journal: (id, range) => {
      reads.push('journal');
      return stored.journal(id, range);
    },
  });
  const streams = new FeedStreams(counted);
  await streams.open();
  const hostStore = new HostStore(stored, () => 1);
  hostStore.listen({
    onStored: (write, committed) => streams.noteStored(write, committed, undefined),
    onError: (error) => expect.unreachable(String(error)),
  });
  const { store } = hostStore;
  reads.length = 0;
  return { store, streams, reads };
}

test('a thousand subscribers of all instances cost the store one read', async () => {
  const { store, streams, reads } = await openStreams();
  const all = Array.from({ length: 1_000 }, () => streams.subscribe({}));
  const nexts = all.map((stream) => stream.next());
  await store.create({ ...record, id: 'a', contact: 'ada', journal: [line('one')] });
  streams.publish([], { contact: 'ada' });
  const types = (await Promise.all(nexts)).map(({ value }) => value?.event.type);
  expect(new Set(types)).toEqual(new Set(['one']));
  expect(reads.filter((read) => read === 'journal')).toHaveLength(1);
  expect(reads.length).toBeLessThan(5);
});

test('a write to an instance of one contact is not read for the others', async () => {
  const { store, streams, reads } = await openStreams();
  const contacts = Array.from({ length: 100 }, (_, index) => `contact-${index}`);
  const seen: HostEvent[] = [];
  for (const contact of contacts)
    void (async () => {
      for await (const event of streams.subscribe({ contact })) seen.push(event);
    })();
  await nextTurns();
  reads.length = 0;
  await store.create({ ...record, id: 'a', contact: 'contact-7', journal: [line('one')] });
  streams.publish([], { contact: 'contact-7' });
  await nextTurns();
  expect(seen.map(({ instance }) => instance)).toEqual(['a']);
  expect(new Set(reads)).toEqual(new Set(['feed contact-7', 'journal']));
});

async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
