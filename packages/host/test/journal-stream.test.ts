import { expect, test } from 'vitest';
import { unreadMax } from '../src/host/event-streams.ts';
import { JournalStreams } from '../src/host/journal-streams.ts';
import { memoryStore } from '../src/store/memory.ts';
import type { HostEvent } from '../src/instance/event.ts';

const linesPerWrite = 5_000;

test('a subscriber that does not read for long gets every event after the beginning', async () => {
  const store = await memoryStore().open('a test');
  const line = (index: number) => ({ at: index, source: 'flow', event: { type: 'tick', index } });
  await store.create({
    id: 'a',
    kind: 'instance',
    createdAt: 0,
    status: 'ACTIVE',
    snapshot: {},
  });
  const streams = new JournalStreams({ store });
  const events = streams.subscribe({ instance: 'a', after: 'beginning' });
  const count = 3 * unreadMax.events;
  for (let index = 0; index < count; index += linesPerWrite) {
    const journal = Array.from({ length: linesPerWrite }, (_, each) => line(index + each));
    await store.commit({ id: 'a', expectedRevision: 1 + index / linesPerWrite, journal });
    streams.wake('a');
  }
  const seen: HostEvent[] = [];
  for await (const event of events) if (seen.push(event) === count) break;
  expect(seen.map(({ event }) => event['index'])).toEqual(
    Array.from({ length: count }, (_, i) => i),
  );
  expect(streams.hasSubscribers).toBe(false);
});
