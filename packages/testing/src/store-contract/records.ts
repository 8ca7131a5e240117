import { expect } from 'vitest';
import type { StoreRecord } from '@dramaturg/host/store';
import { aChange, aLetter, aRecord, type Fact, reopened } from './stage.ts';

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
    const before = await Promise.all(['lunch-with-maria', 'other'].map((id) => store.read(id)));
    const again = await reopened(store, place);
    const after = await Promise.all(['lunch-with-maria', 'other'].map((id) => again.read(id)));
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
