import { expect, test } from 'vitest';
import { FeedStreams } from '../src/host/feed-streams.ts';
import type { HostEvent } from '../src/instance/event.ts';
import { memoryStore } from '../src/store/memory.ts';
import { overriding } from '../src/store/overriding.ts';

const line = (type: string) => ({ at: 1, source: 'flow', event: { type } });
const record = { kind: 'instance', createdAt: 1, status: 's', snapshot: { lifecycle: {} } };

async function openStreams() {
  const store = await memoryStore().open('the test');
  const reads: string[] = [];
  const counted = overriding(store, {
    feed: (request) => {
      reads.push(`feed ${request.contact ?? ''}`);
      return store.feed(request);
    },
    journal: (id, range) => {
      reads.push('journal');
      return store.journal(id, range);
    },
  });
  const streams = new FeedStreams(counted);
  await streams.open();
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
  await new Promise((resolve) => setImmediate(resolve));
  reads.length = 0;
  await store.create({ ...record, id: 'a', contact: 'contact-7', journal: [line('one')] });
  streams.publish([], { contact: 'contact-7' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(seen.map(({ instance }) => instance)).toEqual(['a']);
  expect(new Set(reads)).toEqual(new Set(['feed contact-7', 'journal']));
});
