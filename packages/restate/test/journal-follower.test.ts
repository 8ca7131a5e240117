import { memoryStore } from '@dramaturg/host';
import { expect, test } from 'vitest';
import { JournalFollower } from '../src/reading/journal-follower.ts';

test('a subscriber gets more lines than may be unread, when they are read from the journal at once', async () => {
  const store = await memoryStore().open('the test');
  const count = 12_000;
  const line = (index: number) => ({ at: index, source: 'machine', event: { type: `e${index}` } });
  await store.create({ id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: {} });
  const reader = {
    read: store.read.bind(store),
    journal: store.journal.bind(store),
    journalLengths: async () => [],
  } as unknown as ConstructorParameters<typeof JournalFollower>[1]['store'];
  let lines = 0;
  const follower = new JournalFollower(
    { instance: 'a' },
    { store: reader, lineCount: async () => lines, now: () => 0 },
  );
  const events = follower.follow();
  const journal = Array.from({ length: count }, (_, index) => line(index));
  await store.commit({ id: 'a', expectedRevision: 1, journal: journal.slice(0, 1) });
  lines = 1;
  expect((await events.next()).value?.event.type).toBe('e0');
  await store.commit({ id: 'a', expectedRevision: 2, journal: journal.slice(1) });
  lines = count;
  for (let index = 1; index < count; index += 1)
    expect((await events.next()).value?.event.type).toBe(`e${index}`);
  await events.return?.();
  await store.close();
});
