import type { Store } from '@dramaturg/host';
import type { StoreRecord } from '@dramaturg/host/store';
import { expect, onTestFinished } from 'vitest';
import { contentOf } from './compaction.ts';
import { aChange, aLetter, aRecord, type DiskFact, type Fact, reopened } from './stage.ts';

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

const asCreated: StoreRecord = {
  id: 'lunch-with-maria',
  kind: 'conversation',
  contact: '+56912345678',
  parent: 'contact:+56912345678',
  definition: { name: 'intake', version: '3' },
  status: 'ACTIVE',
  ended: false,
  revision: 1,
  createdAt: 1_000,
  updatedAt: 1_000,
  snapshot: { state: 'greeting', collected: {} },
  parts: [],
  outbox: [],
  timers: [],
  journalLength: 0,
  transcriptLength: 0,
};

export function records(fact: Fact): void {
  fact('a record reads back as it was created', async (store) => {
    await store.create(aRecord());
    expect(await store.read('lunch-with-maria')).toEqual(asCreated);
  });

  fact('a record may be created with all that it will ever have', async (store) => {
    const timers = [{ key: 'reminder', at: 5_000 }];
    const outbox = [aLetter('e1', 'hello')];
    const committed = await store.create(
      aRecord({ ended: true, timers, outbox, journal: [1, 2], transcript: ['hello'] }),
    );
    expect(committed).toMatchObject({ revision: 1, journalLength: 2, transcriptLength: 1 });
    expect(await store.read('lunch-with-maria')).toEqual({
      ...asCreated,
      ended: true,
      timers,
      outbox,
      journalLength: 2,
      transcriptLength: 1,
    });
  });

  fact('a copied record goes on at the revision that it had', async (store, place) => {
    const committed = await store.create(aRecord({ revision: 7, updatedAt: 3_000, journal: [1] }));
    expect(committed).toMatchObject({ revision: 7, journalLength: 1, transcriptLength: 0 });
    const copy = { ...asCreated, revision: 7, updatedAt: 3_000, journalLength: 1 };
    expect(await store.read('lunch-with-maria')).toEqual(copy);
    const again = await reopened(store, place);
    expect(await again.read('lunch-with-maria')).toEqual(copy);
    expect((await again.list({}, { limit: 1 })).items).toMatchObject([
      { revision: 7, updatedAt: 3_000 },
    ]);
    await expect(again.commit(aChange())).rejects.toMatchObject({ code: 'store/conflict' });
    await again.commit(aChange({ expectedRevision: 7, journal: [2] }));
    expect(await again.read('lunch-with-maria')).toEqual({
      ...copy,
      revision: 8,
      journalLength: 2,
    });
  });

  fact('a record cannot begin before its first revision', async (store) => {
    for (const revision of [0, -1, 1.5, Number.NaN])
      await expect(store.create(aRecord({ revision }))).rejects.toMatchObject({
        code: 'store/bad-request',
      });
    const updatedAt = Number.POSITIVE_INFINITY;
    await expect(store.create(aRecord({ updatedAt }))).rejects.toMatchObject({
      code: 'store/bad-request',
    });
    expect(await store.read('lunch-with-maria')).toBeUndefined();
  });

  fact('a record may have neither contact, parent nor definition', async (store) => {
    await store.create({
      id: 'bare',
      kind: 'run',
      createdAt: 1.5,
      status: 'RUNNING',
      snapshot: null,
    });
    const { contact: _, parent: __, definition: ___, ...bare } = asCreated;
    expect(await store.read('bare')).toEqual({
      ...bare,
      id: 'bare',
      kind: 'run',
      createdAt: 1.5,
      updatedAt: 1.5,
      status: 'RUNNING',
      snapshot: null,
    });
  });

  fact('a record that was not created does not exist', async (store) => {
    expect(await store.read('nobody')).toBeUndefined();
  });

  fact('a record is created once', async (store) => {
    await store.create(aRecord());
    await expect(store.create(aRecord({ status: 'OTHER' }))).rejects.toMatchObject({
      name: 'StoreError',
      code: 'store/exists',
    });
    expect(await store.read('lunch-with-maria')).toEqual(asCreated);
  });

  fact('of two creations at once one succeeds', async (store) => {
    const outcomes = await Promise.allSettled([store.create(aRecord()), store.create(aRecord())]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });

  fact('a commit stores everything together', async (store) => {
    await store.create(aRecord({ outbox: [aLetter('e1'), aLetter('e2')] }));
    const committed = await store.commit(
      aChange({
        updatedAt: 2_000,
        status: 'WAITING',
        snapshot: { state: 'asked' },
        timers: [{ key: 'reminder', at: 9_000 }],
        settled: ['e1'],
        effects: [aLetter('e3', 'What should I call you?')],
        journal: ['asked'],
        transcript: ['hi', 'What should I call you?'],
      }),
    );
    expect(committed).toMatchObject({ revision: 2, journalLength: 1, transcriptLength: 2 });
    expect(await store.read('lunch-with-maria')).toEqual({
      ...asCreated,
      revision: 2,
      updatedAt: 2_000,
      status: 'WAITING',
      snapshot: { state: 'asked' },
      outbox: [aLetter('e2'), aLetter('e3', 'What should I call you?')],
      timers: [{ key: 'reminder', at: 9_000 }],
      journalLength: 1,
      transcriptLength: 2,
    });
  });

  fact('a commit does not change what it does not name', async (store) => {
    const timers = [{ key: 'reminder', at: 5_000 }];
    const outbox = [aLetter('e1')];
    await store.create(aRecord({ timers, outbox }));
    await store.commit(aChange());
    expect(await store.read('lunch-with-maria')).toEqual({
      ...asCreated,
      timers,
      outbox,
      revision: 2,
    });
  });

  fact('a commit based on an older revision is refused, and changes nothing', async (store) => {
    await store.create(aRecord());
    await store.commit(aChange({ status: 'WAITING' }));
    const late = aChange({
      status: 'LATE',
      snapshot: 'late',
      timers: [{ key: 'late', at: 1 }],
      effects: [aLetter('late')],
      journal: ['late'],
      transcript: ['late'],
    });
    await expect(store.commit(late)).rejects.toMatchObject({ code: 'store/conflict' });
    await expect(store.commit({ ...late, expectedRevision: 3 })).rejects.toMatchObject({
      code: 'store/conflict',
    });
    expect(await store.read('lunch-with-maria')).toEqual({
      ...asCreated,
      revision: 2,
      status: 'WAITING',
    });
    expect(await store.due(Number.POSITIVE_INFINITY, 10)).toEqual([]);
    expect(await store.journal('lunch-with-maria', { from: 0, limit: 10 })).toEqual([]);
  });

  fact('of two commits at once from one revision the first succeeds', async (store) => {
    await store.create(aRecord());
    const outcomes = await Promise.allSettled([
      store.commit(aChange({ status: 'FIRST' })),
      store.commit(aChange({ status: 'SECOND' })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await store.read('lunch-with-maria')).toMatchObject({ status: 'FIRST', revision: 2 });
  });

  fact(
    'commits called one after another without waiting are stored in that order',
    async (store) => {
      await store.create(aRecord());
      const revisions = Array.from({ length: 50 }, (_, index) => index + 1);
      await Promise.all(
        revisions.map((expectedRevision) =>
          store.commit(
            aChange({ expectedRevision, snapshot: expectedRevision, journal: [expectedRevision] }),
          ),
        ),
      );
      expect(await store.read('lunch-with-maria')).toMatchObject({ revision: 51, snapshot: 50 });
      expect(await store.journal('lunch-with-maria', { from: 0, limit: 100 })).toEqual(revisions);
    },
  );

  fact('a commit to an unknown record is refused', async (store) => {
    await expect(store.commit(aChange())).rejects.toMatchObject({ code: 'store/unknown' });
  });

  fact('an ended record accepts commits, but cannot become active again', async (store) => {
    await store.create(aRecord({ outbox: [aLetter('e1')] }));
    await store.commit(aChange({ ended: true, status: 'COMPLETED' }));
    await store.commit(aChange({ expectedRevision: 2, settled: ['e1'] }));
    await expect(
      store.commit(aChange({ expectedRevision: 3, ended: false })),
    ).rejects.toMatchObject({ code: 'store/bad-request' });
    expect(await store.read('lunch-with-maria')).toEqual({
      ...asCreated,
      status: 'COMPLETED',
      ended: true,
      revision: 3,
    });
  });

  fact('returned and passed values belong to the caller', async (store) => {
    const given = { list: [1, 2] };
    await store.create(aRecord({ snapshot: given, timers: [{ key: 'a', at: 1 }] }));
    given.list.push(3);
    const first = await store.read('lunch-with-maria');
    (first!.snapshot as { list: number[] }).list.push(4);
    (first!.timers[0] as { at: number }).at = 99;
    const [summary] = (await store.list({}, { limit: 1 })).items;
    (summary!.timers[0] as { at: number }).at = 98;
    const second = await store.read('lunch-with-maria');
    expect(second!.snapshot).toEqual({ list: [1, 2] });
    expect(second!.timers).toEqual([{ key: 'a', at: 1 }]);
    expect(await store.due(50, 10)).toHaveLength(1);
  });

  fact('everything survives a restart', async (store, place) => {
    await store.create(aRecord({ timers: [{ key: 'a', at: 7 }], journal: [1], transcript: ['a'] }));
    const outbox = [aLetter('e1'), aLetter('e2')];
    await store.create(aRecord({ id: 'other', createdAt: 2_000, outbox }));
    await store.acknowledge({ id: 'other', letter: 'e1', transcript: ['b'] });
    await store.commit(aChange({ snapshot: 'two', effects: [aLetter('e1')], journal: [2, 3] }));
    const before = await Promise.all(['lunch-with-maria', 'other'].map((each) => store.read(each)));
    const again = await reopened(store, place);
    const after = await Promise.all(['lunch-with-maria', 'other'].map((each) => again.read(each)));
    expect(after).toEqual(before);
    expect(await again.journal('lunch-with-maria', { from: 0, limit: 9 })).toEqual([1, 2, 3]);
    expect(await again.transcript('other', { from: 0, limit: 9 })).toEqual(['b']);
    expect(await again.due(10, 10)).toEqual([{ id: 'lunch-with-maria', key: 'a', at: 7 }]);
    expect(await again.pending({ limit: 10 })).toEqual({ items: ['lunch-with-maria', 'other'] });
    await again.commit(aChange({ expectedRevision: 2, journal: [4] }));
    expect(await again.journal('lunch-with-maria', { from: 2, limit: 9 })).toEqual([3, 4]);
  });

  fact('a store without damage lists no damaged records', async (store) => {
    await store.create(aRecord());
    expect(await store.damaged()).toEqual([]);
  });
}

export function reading(fact: Fact): void {
  fact('a reader finds everything that the last owner has stored', async (store, place) => {
    await store.create(aRecord({ journal: ['first'], outbox: [aLetter('e1')] }));
    await store.commit(
      aChange({ status: 'LATER', timers: [{ key: 't', at: 3 }], transcript: [1] }),
    );
    await store.create(aRecord({ id: 'deleted' }));
    await store.delete('deleted');
    const before = await contentOf(store);
    await store.close();
    const reader = await place.read();
    onTestFinished(() => reader.close());
    expect(await contentOf(reader)).toEqual(before);
    expect(await reader.due(Infinity, 10)).toEqual([{ id: 'lunch-with-maria', key: 't', at: 3 }]);
    expect(await reader.pending({ limit: 10 })).toEqual({ items: ['lunch-with-maria'] });
    expect(await reader.damaged()).toEqual([]);
    expect(await reader.verify()).toEqual({ records: 1, lines: 2, damaged: [] });
  });

  fact('H6 a store that is in use has no readers besides its owner', async (store, place) => {
    await expect(place.read()).rejects.toMatchObject({
      code: 'store/owned',
      message: expect.stringContaining('the contract'),
    });
    await store.close();
    await (await place.read()).close();
  });

  fact('a reader keeps nobody from opening or reading the store', async (store, place) => {
    await store.create(aRecord());
    await store.close();
    const [first, second] = [await place.read(), await place.read()];
    const owner = await place.open('the next');
    await owner.close();
    for (const reader of [first, second]) {
      expect(await reader.read('lunch-with-maria')).toMatchObject({ revision: 1 });
      await reader.close();
    }
  });

  fact('a closed reader does nothing', async (store, place) => {
    await store.close();
    const reader = await place.read();
    await reader.close();
    await reader.close();
    for (const call of [() => reader.read('a'), () => reader.verify(), () => reader.damaged()])
      await expect(call()).rejects.toMatchObject({ code: 'store/closed' });
  });
}
