import { expect } from 'vitest';
import type { Store } from '@dramaturg/host';
import { aChange, aRecord, type DiskFact, type Fact, reopened } from './stage.ts';

const id = 'lunch-with-maria';
const a = { key: 'a', value: { of: 'a' } };
const b = { key: 'b', value: { of: 'b' } };
const c = { key: 'c', value: { of: 'c' } };

export function parts(fact: Fact): void {
  fact('parts read back as they were created', async (store) => {
    await store.create(aRecord({ parts: [a, b] }));
    expect(await partsIn(store)).toEqual({ a: a.value, b: b.value });
  });

  fact('a commit adds, replaces and removes parts, and keeps the others', async (store, place) => {
    await store.create(aRecord({ parts: [a, b, c] }));
    const set = [
      { key: 'b', value: 'new' },
      { key: 'd', value: [4] },
    ];
    await store.commit(aChange({ parts: { set, removed: ['c'] } }));
    const expected = { a: a.value, b: 'new', d: [4] };
    expect(await partsIn(store)).toEqual(expected);
    await store.commit(aChange({ expectedRevision: 2, snapshot: 'other' }));
    await store.acknowledge({ id, letter: 'none' });
    expect(await partsIn(await reopened(store, place))).toEqual(expected);
  });

  fact('a part that is removed and set in one commit is set', async (store) => {
    await store.create(aRecord({ parts: [a] }));
    const change = { set: [{ key: 'a', value: 'new' }, b], removed: ['a', 'b'] };
    await store.commit(aChange({ parts: change }));
    expect(await partsIn(store)).toEqual({ a: 'new', b: b.value });
  });

  fact('a missing part can be removed, and a removed one be set again', async (store, place) => {
    await store.create(aRecord({ parts: [a] }));
    await store.commit(aChange({ parts: { removed: ['a', 'none', 'a'] } }));
    expect(await partsIn(store)).toEqual({});
    await store.commit(aChange({ expectedRevision: 2, parts: { set: [a] } }));
    expect(await partsIn(await reopened(store, place))).toEqual({ a: a.value });
  });

  fact('two parts of one key are refused', async (store) => {
    const twice = { code: 'store/bad-request' };
    await expect(store.create(aRecord({ parts: [a, a] }))).rejects.toMatchObject(twice);
    await store.create(aRecord());
    await expect(store.commit(aChange({ parts: { set: [a, a] } }))).rejects.toMatchObject(twice);
    expect(await partsIn(store)).toEqual({});
  });

  fact('a refused commit changes no part', async (store) => {
    await store.create(aRecord({ parts: [a] }));
    const late = aChange({ expectedRevision: 9, parts: { set: [b], removed: ['a'] } });
    await expect(store.commit(late)).rejects.toMatchObject({ code: 'store/conflict' });
    expect(await partsIn(store)).toEqual({ a: a.value });
  });

  fact('records have parts of the same key', async (store) => {
    await store.create(aRecord({ parts: [a] }));
    await store.create(aRecord({ id: 'other', parts: [{ key: 'a', value: 'other' }] }));
    await store.commit(aChange({ parts: { removed: ['a'] } }));
    expect(await partsIn(store)).toEqual({});
    expect(await partsIn(store, 'other')).toEqual({ a: 'other' });
  });

  fact('parts that were passed and returned belong to the caller', async (store) => {
    const value = { list: [1] };
    await store.create(aRecord({ parts: [{ key: 'a', value }] }));
    value.list.push(2);
    const [first] = (await store.read(id))!.parts;
    (first!.value as { list: number[] }).list.push(3);
    expect(await partsIn(store)).toEqual({ a: { list: [1] } });
  });
}

export function partsOnDisk(fact: DiskFact): void {
  fact('a commit writes the parts that it changes, and not the others', async (open) => {
    const store = await open();
    const value = 'x'.repeat(10_000);
    const all = Array.from({ length: 400 }, (_, index) => ({ key: `part-${index}`, value }));
    await store.create(aRecord({ parts: all }));
    const before = await store.size();
    for (let revision = 1; revision <= 40; revision += 1) {
      const set = [{ key: `part-${revision}`, value: revision }];
      await store.commit(aChange({ expectedRevision: revision, parts: { set } }));
    }
    expect(await store.size()).toBeLessThan(before + 4_000_000);
    expect(await partsIn(store)).toMatchObject({ 'part-0': value, 'part-40': 40 });
  });
}

async function partsIn(store: Store, record = id): Promise<unknown> {
  const { parts: found } = (await store.read(record))!;
  const byKey = Object.fromEntries(found.map(({ key, value }) => [key, value]));
  expect(Object.keys(byKey)).toHaveLength(found.length);
  return byKey;
}
