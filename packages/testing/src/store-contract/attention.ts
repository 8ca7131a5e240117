import { expect } from 'vitest';
import type { RecordFilter } from '@dramaturg/host/store';
import { allOf, aRecord, type Fact, reopened } from './stage.ts';

export function attention(fact: Fact): void {
  fact(
    'what people have to do with a record is replaced as a whole, and survives',
    async (store, place) => {
      const taken = { queue: 'paused', since: 1_000.5, owner: 'Ana "Ñ" \ud83d\ude00', actedAt: -3 };
      await store.create(aRecord({ id: 'a', attention: taken }));
      await store.create(aRecord({ id: 'b', attention: {} }));
      await store.commit({ id: 'a', expectedRevision: 1, status: 'SEEN' });
      await store.commit({ id: 'b', expectedRevision: 1, attention: { actedAt: 9 } });
      const again = await reopened(store, place);
      expect((await again.read('a'))?.attention).toEqual(taken);
      expect((await again.list({}, { limit: 9 })).items.map((record) => record.attention)).toEqual([
        taken,
        { actedAt: 9 },
      ]);
      await again.commit({ id: 'a', expectedRevision: 2, attention: { actedAt: 10 } });
      await again.commit({ id: 'b', expectedRevision: 2, attention: {} });
      expect((await again.read('a'))?.attention).toEqual({ actedAt: 10 });
      expect((await again.read('b'))?.attention).toBeUndefined();
      expect(await again.read('b')).not.toHaveProperty('attention');
    },
  );

  fact(
    'a queue has its records in pages, and those that have waited longest come first',
    async (store) => {
      const times = [5, 3, 9, 1, 7];
      for (const [index, since] of times.entries()) {
        const queue = since === 9 ? 'failed' : 'paused';
        await store.create(
          aRecord({ id: `r${since}`, createdAt: index, attention: { queue, since } }),
        );
      }
      await store.create(aRecord({ id: 'other' }));
      const queued = async (filter: RecordFilter) =>
        (await allOf((after) => store.list(filter, { limit: 2, ...after }))).map(({ id }) => id);
      expect(await queued({ queue: 'paused' })).toEqual(['r1', 'r3', 'r5', 'r7']);
      expect(await queued({ queue: 'paused', status: 'none' })).toEqual([]);
      expect(await queued({ queue: 'none' })).toEqual([]);
      await store.commit({
        id: 'r1',
        expectedRevision: 1,
        attention: { queue: 'paused', since: 6 },
      });
      await store.commit({
        id: 'r3',
        expectedRevision: 1,
        attention: { queue: 'failed', since: 3 },
      });
      await store.commit({ id: 'r5', expectedRevision: 1, attention: {} });
      expect(await queued({ queue: 'paused', kind: 'conversation' })).toEqual(['r1', 'r7']);
      expect(await queued({ queue: 'failed' })).toEqual(['r3', 'r9']);
    },
  );

  fact('records are found by their owner, and by the time of the last act', async (store) => {
    await store.create(aRecord({ id: 'a', createdAt: 1, attention: { owner: 'Ana', actedAt: 5 } }));
    await store.create(aRecord({ id: 'b', createdAt: 2, attention: { owner: 'Ben', actedAt: 3 } }));
    await store.create(aRecord({ id: 'c', createdAt: 3, attention: { actedAt: 9 } }));
    const ids = async (filter: RecordFilter) =>
      (await store.list(filter, { limit: 9 })).items.map(({ id }) => id);
    expect(await ids({ owner: 'Ana' })).toEqual(['a']);
    expect(await ids({ owner: "' OR 1=1 --" })).toEqual([]);
    expect(await ids({ actedSince: 5 })).toEqual(['a', 'c']);
    expect(await ids({ kind: 'conversation', actedSince: 5 })).toEqual(['a', 'c']);
    expect(await ids({ owner: 'Ben', actedSince: 5 })).toEqual([]);
    await store.commit({ id: 'b', expectedRevision: 1, attention: { actedAt: 6 } });
    expect(await ids({ owner: 'Ben' })).toEqual([]);
    expect(await ids({ actedSince: 6 })).toEqual(['b', 'c']);
  });

  fact('records are counted by queue, and by kind and end', async (store) => {
    const paused = { queue: 'paused', since: 1 };
    await store.create(aRecord({ id: 'a', attention: paused }));
    await store.create(aRecord({ id: 'b', attention: paused, kind: 'instance' }));
    await store.create(aRecord({ id: 'c', kind: 'instance', ended: true }));
    expect(await store.count({ queue: 'paused' })).toBe(2);
    expect(await store.count({ queue: 'failed' })).toBe(0);
    expect(await store.count({ kind: 'instance', ended: false })).toBe(1);
    expect(await store.count({ kind: 'conversation', ended: false })).toBe(1);
    expect(await store.count({ kind: 'instance' })).toBe(2);
    await store.commit({ id: 'a', expectedRevision: 1, attention: {} });
    await store.delete('b');
    expect(await store.count({ queue: 'paused' })).toBe(0);
    expect(await store.count({ kind: 'instance', ended: false })).toBe(0);
  });

  fact('a queue has a time, and names are checked', async (store) => {
    const wrong = [{ queue: 'paused' }, { since: 1 }, { queue: '', since: 1 }, { owner: '' }];
    for (const given of [...wrong, { actedAt: Number.NaN }, { queue: 'paused', since: Infinity }])
      await expect(store.create(aRecord({ attention: given }))).rejects.toMatchObject({
        code: 'store/bad-request',
      });
    expect(await store.list({}, { limit: 1 })).toEqual({ items: [] });
  });
}
