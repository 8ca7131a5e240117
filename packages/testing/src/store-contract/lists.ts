import { expect } from 'vitest';
import type { RecordFilter } from '@dramaturg/host/store';
import { aChange, aLetter, allOf, aRecord, type Fact } from './stage.ts';

export function lists(fact: Fact): void {
  fact('a list shows all of a record that an index holds', async (store) => {
    await store.create(
      aRecord({ timers: [{ key: 'a', at: 9 }], journal: [1], outbox: [aLetter('m')] }),
    );
    await store.commit(aChange({ updatedAt: 1_500, status: 'WAITING', transcript: ['hi'] }));
    expect(await store.list({}, { limit: 10 })).toEqual({
      items: [
        {
          id: 'lunch-with-maria',
          kind: 'conversation',
          contact: '+56912345678',
          parent: 'contact:+56912345678',
          definition: { name: 'intake', version: '3' },
          status: 'WAITING',
          ended: false,
          revision: 2,
          createdAt: 1_000,
          updatedAt: 1_500,
          timers: [{ key: 'a', at: 9 }],
          journalLength: 1,
          transcriptLength: 1,
        },
      ],
    });
  });

  fact('a list contains the records that match the whole filter', async (store) => {
    const definition = { name: 'intake', version: '1' };
    await store.create(aRecord({ id: 'a', createdAt: 1, kind: 'contact', status: 'FREE' }));
    await store.create(aRecord({ id: 'b', createdAt: 2, contact: '+1', parent: 'a', ended: true }));
    await store.create(aRecord({ id: 'c', createdAt: 3, contact: '+1', definition }));
    await store.create({ id: 'd', createdAt: 4, kind: 'run', status: 'ACTIVE', snapshot: 0 });
    const ids = async (filter: RecordFilter) =>
      (await store.list(filter, { limit: 10 })).items.map(({ id }) => id);
    expect(await ids({})).toEqual(['a', 'b', 'c', 'd']);
    expect(await ids({ kind: 'contact' })).toEqual(['a']);
    expect(await ids({ contact: '+1' })).toEqual(['b', 'c']);
    expect(await ids({ parent: 'a' })).toEqual(['b']);
    expect(await ids({ status: 'ACTIVE' })).toEqual(['b', 'c', 'd']);
    expect(await ids({ ended: false })).toEqual(['a', 'c', 'd']);
    expect(await ids({ definition: { name: 'intake' } })).toEqual(['a', 'b', 'c']);
    expect(await ids({ definition })).toEqual(['c']);
    expect(await ids({ contact: '+1', ended: true, status: 'ACTIVE' })).toEqual(['b']);
    expect(await ids({ contact: '+1', kind: 'contact' })).toEqual([]);
    expect(await ids({ contact: "' OR 1=1 --" })).toEqual([]);
  });

  fact('a record is found by its current fields', async (store) => {
    await store.create(aRecord());
    await store.commit(aChange({ status: 'COMPLETED', ended: true }));
    const found = async (filter: RecordFilter) =>
      (await store.list(filter, { limit: 9 })).items.length;
    expect(await found({ status: 'ACTIVE' })).toBe(0);
    expect(await found({ ended: false })).toBe(0);
    expect(await found({ status: 'COMPLETED', ended: true })).toBe(1);
  });

  fact('a list of records with open decisions contains those that have one now', async (store) => {
    await store.create(aRecord({ id: 'a', createdAt: 1, questions: 2 }));
    await store.create(aRecord({ id: 'b', createdAt: 2 }));
    await store.create(aRecord({ id: 'c', createdAt: 3, contact: '+1', questions: 1 }));
    const found = async (filter: RecordFilter) =>
      (await store.list(filter, { limit: 9 })).items.map(({ id, questions }) => [id, questions]);
    expect(await found({ asks: true })).toEqual([
      ['a', 2],
      ['c', 1],
    ]);
    expect(await found({ asks: true, contact: '+1', status: 'ACTIVE' })).toEqual([['c', 1]]);
    expect(await found({ asks: true, kind: 'conversation', ended: false })).toHaveLength(2);
    expect(await found({ asks: false })).toEqual([['b', undefined]]);
    await store.commit({ id: 'a', expectedRevision: 1, questions: 0 });
    await store.commit({ id: 'b', expectedRevision: 1, questions: 1 });
    await store.commit({ id: 'c', expectedRevision: 1, status: 'SEEN' });
    expect(await found({ asks: true })).toEqual([
      ['b', 1],
      ['c', 1],
    ]);
  });

  fact(
    'pages show each record once, the oldest first, while records change and come',
    async (store) => {
      const ages = Array.from({ length: 25 }, (_, index) => (index * 7) % 25);
      await Promise.all(
        ages.map((age) =>
          store.create(aRecord({ id: `r${age}`, createdAt: 100 + Math.floor(age / 3) })),
        ),
      );
      const seen: string[] = [];
      let newcomers = 0;
      await allOf(async (after) => {
        const page = await store.list({ kind: 'conversation' }, { limit: 4, ...after });
        expect(page.items.length).toBeLessThanOrEqual(4);
        for (const { id, revision } of page.items) {
          seen.push(id);
          await store.commit({ id, expectedRevision: revision, updatedAt: 999, status: 'SEEN' });
        }
        newcomers += 1;
        await store.create(aRecord({ id: `new${newcomers}`, createdAt: 50 }));
        return page;
      });
      const ageOf = (id: string) => Math.floor(Number(id.slice(1)) / 3);
      expect(seen.toSorted()).toEqual(ages.map((age) => `r${age}`).toSorted());
      expect(seen.map(ageOf)).toEqual(seen.map(ageOf).toSorted((one, other) => one - other));
    },
  );

  fact('a page that ends with the last record has no next page', async (store) => {
    await store.create(aRecord({ id: 'a' }));
    await store.create(aRecord({ id: 'b' }));
    expect((await store.list({}, { limit: 2 })).next).toBeUndefined();
    expect((await store.list({}, { limit: 1 })).next).toBeTypeOf('string');
    expect(await store.list({ kind: 'none' }, { limit: 1 })).toEqual({ items: [] });
  });

  fact('page sizes are whole numbers, and cursors are valid', async (store) => {
    for (const limit of [0, -1, 1.5, 10_001, Number.NaN]) {
      await expect(store.list({}, { limit })).rejects.toMatchObject({ code: 'store/bad-request' });
      await expect(store.pending({ limit })).rejects.toMatchObject({ code: 'store/bad-request' });
      await expect(store.due(0, limit)).rejects.toMatchObject({ code: 'store/bad-request' });
    }
    for (const after of ['', 'x', '{}', '[1]', 'null', '["a","b"]']) {
      await expect(store.list({}, { limit: 1, after })).rejects.toMatchObject({
        code: 'store/bad-request',
      });
    }
  });
}
