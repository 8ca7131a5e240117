import { expect, test } from 'vitest';
import { unreadMax } from '../src/host/event-streams.ts';
import { FeedStreams } from '../src/host/feed-streams.ts';
import type { HostEvent } from '../src/instance/event.ts';
import { HostStore } from '../src/host/host-store.ts';
import { originOf } from '../src/host/origin.ts';
import { memoryStore } from '../src/store/memory.ts';

const refusal: HostEvent = {
  instance: 'a',
  at: 1,
  source: 'host',
  event: { type: 'event.refused' },
};

test('refusals are kept for a live subscriber up to a limit', async () => {
  const streams = new FeedStreams(await memoryStore().open('the test'));
  const [patient, slow, replay] = [{}, {}, { after: 'beginning' }].map((filter) =>
    streams.subscribe(filter),
  );
  const first = patient!.next();
  streams.publish([refusal], {});
  expect((await first).value).toEqual(refusal);
  for (let count = 0; count < unreadMax.events; count += 1) {
    streams.publish([refusal], {});
    expect((await patient!.next()).value).toEqual(refusal);
  }
  await expect(slow!.next()).rejects.toThrow(
    /A subscriber was dropped, because it had 10001 unread/,
  );
  const nothing = replay!.next();
  await replay!.return?.();
  expect(await nothing).toEqual({ done: true, value: undefined });
});

test('the rest of a live stream is read before the store is closed', async () => {
  const stored = await memoryStore().open('the test');
  const streams = new FeedStreams(stored);
  const hostStore = new HostStore(stored, () => 1);
  hostStore.listen({
    onStored: (write, committed) =>
      streams.noteStored(write, committed, originOf(write, undefined)),
    onError: (error) => expect.unreachable(String(error)),
  });
  const { store } = hostStore;
  const live = streams.subscribe({});
  const journal = [1, 2, 3].map((number) => ({ at: number, source: 'flow', event: { type: 't' } }));
  await store.create({
    id: 'a',
    kind: 'instance',
    createdAt: 1,
    status: 's',
    snapshot: { lifecycle: {} },
    journal,
  });
  const first = live.next();
  streams.publish([refusal], {});
  await streams.end();
  await store.close();
  const seen = [(await first).value?.at];
  for await (const { at } of live) seen.push(at);
  expect(seen).toEqual([1, 2, 3, 1]);
});
