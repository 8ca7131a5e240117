import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/contract.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

const aRecord = (id: string) => ({ id, kind: 'k', createdAt: 1, status: 's', snapshot: 1 });

/** Opens a store, and calls a function at the first flush for which a write waits. */
async function opened(atFlush: (store: Store) => void, points: string[] = []) {
  const store: Store = await sqliteStore(join(temporaryFolder(), 'store.db'), {
    atWritePoint: (point) => {
      if (point === 'group.flush' && !points.includes(point)) atFlush(store);
      points.push(point);
    },
  }).open('the test');
  return { store, transactions: () => points.filter((point) => point === 'group.begin').length };
}

test('a read that is called during a flush waits until the flush has ended', async () => {
  const order: string[] = [];
  let read: Promise<unknown> | undefined;
  const { store } = await opened((open) => {
    read = open.list({}, { limit: 10 }).then(({ items }) => order.push(`read ${items.length}`));
  }, order);
  await store.create(aRecord('a'));
  await read;
  expect(order.slice(order.indexOf('group.flush'))).toStrictEqual([
    'group.flush',
    'group.flushed',
    'read 1',
  ]);
  await store.close();
});

test('the writes that are called during a flush share the next transaction', async () => {
  const writes: Promise<unknown>[] = [];
  const { store, transactions } = await opened((open) => {
    for (const id of ['b', 'c', 'd']) writes.push(open.create(aRecord(id)));
  });
  await store.create(aRecord('a'));
  await Promise.all(writes);
  expect(transactions()).toBe(2);
  await store.close();
});

test('closing waits for the writes that were called during a flush', async () => {
  const order: string[] = [];
  let closing: Promise<unknown> | undefined;
  const { store } = await opened((open) => {
    void open.create(aRecord('b')).then(() => order.push('b'));
    closing = open.close().then(() => order.push('closed'));
  });
  await store.create(aRecord('a')).then(() => order.push('a'));
  await closing;
  expect(order).toStrictEqual(['a', 'b', 'closed']);
});

test('closing waits for a deferred flush that is in progress', async () => {
  const order: string[] = [];
  const folder = temporaryFolder();
  let close: () => void = () => {};
  const closing = new Promise<void>((resolve) => (close = resolve));
  const store: Store = await sqliteStore(join(folder, 'store.db'), {
    atWritePoint: (point) => {
      if (point.startsWith('later.')) order.push(point);
      if (point === 'later.flush') close();
    },
  }).open('the test');
  await store.create({ ...aRecord('a'), outbox: [{ id: 'l', body: 'Hello.' }] });
  await store.acknowledge({ id: 'a', letter: 'l' });
  await closing;
  await store.close().then(() => order.push('closed'));
  expect(order).toStrictEqual(['later.flush', 'later.flushed', 'closed']);
  expect(readdirSync(folder)).toStrictEqual(['store.db']);
});
