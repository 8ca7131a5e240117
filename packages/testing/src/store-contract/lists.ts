import type { RecordFilter } from '@dramaturg/host/store';
import { expect } from 'vitest';
import { aChange, aLetter, allOf, aRecord, type Fact, reopened } from './stage.ts';

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
