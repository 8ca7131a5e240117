import { expect, test } from 'vitest';
import { instancesOf } from '../../src/erasure/family.ts';
import type { Store } from '../../src/store/contract.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { readPages } from '../../src/store/pages.ts';

/** Counts turns of the event loop until the work is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isDone = true;
  return turns;
}

async function storeOf(instances: number): Promise<Store> {
  const store = await memoryStore().open('a test');
  for (let number = 0; number < instances; number += 1)
    await store.create({
      id: `i-${number}`,
      kind: 'instance',
      contact: 'ada',
      status: 's',
      ended: true,
      createdAt: number,
      snapshot: null,
    });
  return store;
}

test('other work gets its turn between the pages of a list', async () => {
  const store = await storeOf(2_001);
  let found = 0;
  const turns = await turnsDuring(async () => {
    for await (const page of readPages((request) => store.list({}, request))) found += page.length;
  });
  expect(found).toBe(2_001);
  expect(turns).toBeGreaterThanOrEqual(4);
  await store.close();
});

test('the instances of a contact with many are found in slices, each once', async () => {
  const store = await storeOf(1_000);
  let ids: string[] = [];
  const turns = await turnsDuring(async () => {
    ids = (await instancesOf(store, 'ada')).map(({ id }) => id);
  });
  expect(new Set(ids).size).toBe(1_000);
  expect(ids).toHaveLength(1_000);
  expect(turns).toBeGreaterThanOrEqual(15);
  await store.close();
});
