import { expect } from 'vitest';
import { aChange, aLetter, allOf, aRecord, type Fact, reopened } from './stage.ts';

const id = 'lunch-with-maria';
const whole = { from: 0, limit: 100 };

/** A record with everything that a delete has to find. */
const full = aRecord({
  journal: ['first', 'second'],
  transcript: ['hello'],
  timers: [{ key: 'reminder', at: 5 }],
  outbox: [aLetter('e1')],
  parts: [{ key: 'p', value: 'part' }],
  questions: 2,
  attention: { queue: 'paused', since: 5, owner: 'Ana', actedAt: 6 },
});

export function deletion(fact: Fact): void {
  fact('a deleted record is in no answer of the store', async (store, place) => {
    await store.create(full);
    await store.create({ ...full, id: 'other' });
    expect(await store.delete(id)).toBe(true);
    const each = await reopened(store, place);
    expect(await each.read(id)).toBeUndefined();
    for (const filter of [{}, { contact: full.contact! }, { asks: true }, { parent: full.parent! }])
      expect((await each.list(filter, whole)).items.map((item) => item.id)).toEqual(['other']);
    expect(await each.due(Infinity, 10)).toEqual([{ id: 'other', key: 'reminder', at: 5 }]);
    expect(await each.pending(whole)).toEqual({ items: ['other'] });
    await expect(each.journal(id, whole)).rejects.toMatchObject({ code: 'store/unknown' });
    await expect(each.transcript(id, whole)).rejects.toMatchObject({ code: 'store/unknown' });
    expect(await each.damaged()).toEqual([]);
  });

  fact('a deleted record is in no list even before the store is opened again', async (store) => {
    await store.create(full);
    await store.delete(id);
    expect(await store.read(id)).toBeUndefined();
    expect(await store.list({}, whole)).toEqual({ items: [] });
    expect(await store.due(Infinity, 10)).toEqual([]);
    expect(await store.pending(whole)).toEqual({ items: [] });
  });

  fact('a record is deleted once', async (store) => {
    await store.create(full);
    expect(await Promise.all([store.delete(id), store.delete(id)])).toEqual([true, false]);
    expect(await store.delete(id)).toBe(false);
    expect(await store.delete('nobody')).toBe(false);
  });

  fact('a delete does not change other records', async (store, place) => {
    await store.create({ ...full, id: 'a', createdAt: 1 });
    await store.create({ ...full, createdAt: 2 });
    await store.create({ ...full, id: 'c', createdAt: 3 });
    const before = [await store.read('a'), await store.read('c')];
    await store.delete(id);
    const again = await reopened(store, place);
    expect([await again.read('a'), await again.read('c')]).toEqual(before);
    expect(await again.journal('c', whole)).toEqual(['first', 'second']);
    expect(await again.transcript('a', whole)).toEqual(['hello']);
  });

  fact('writes to a deleted record are refused', async (store) => {
    await store.create(full);
    await store.delete(id);
    const unknown = { code: 'store/unknown' };
    await expect(store.commit(aChange())).rejects.toMatchObject(unknown);
    await expect(store.acknowledge({ id, letter: 'e1' })).rejects.toMatchObject(unknown);
    expect(await store.read(id)).toBeUndefined();
  });

  fact(
    'the id of a deleted record can be used again, and the new record has nothing of the old one',
    async (store, place) => {
      await store.create(full);
      await store.commit(aChange({ snapshot: 'old', journal: ['third'] }));
      await store.delete(id);
      await store.create(aRecord({ snapshot: 'new', journal: ['only'], createdAt: 2_000 }));
      const each = await reopened(store, place);
      {
        const { contact, definition, kind, parent, status } = full;
        expect(await each.read(id)).toEqual({
          id,
          kind,
          contact,
          parent,
          definition,
          status,
          ended: false,
          revision: 1,
          createdAt: 2_000,
          updatedAt: 2_000,
          snapshot: 'new',
          parts: [],
          outbox: [],
          timers: [],
          journalLength: 1,
          transcriptLength: 0,
        });
        expect(await each.journal(id, whole)).toEqual(['only']);
        expect(await each.transcript(id, whole)).toEqual([]);
      }
    },
  );

  fact('deletes take effect in the order of the calls', async (store) => {
    await store.create(full);
    const outcomes = await Promise.allSettled([
      store.commit(aChange({ status: 'LAST' })),
      store.delete(id),
      store.commit(aChange({ expectedRevision: 2 })),
      store.create(aRecord({ status: 'AGAIN' })),
      store.commit(aChange({ journal: ['of the new one'] })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(await store.read(id)).toMatchObject({ status: 'AGAIN', revision: 2, outbox: [] });
    expect(await store.journal(id, whole)).toEqual(['of the new one']);
  });

  fact('a list that is being read goes on after its last record was deleted', async (store) => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const [index, each] of ids.entries())
      await store.create(aRecord({ id: each, createdAt: index }));
    const seen = await allOf(async (after) => {
      const page = await store.list({}, { limit: 2, ...after });
      for (const { id: each } of page.items) await store.delete(each);
      return page;
    });
    expect(seen.map((item) => item.id)).toEqual(ids);
    expect(await store.list({}, whole)).toEqual({ items: [] });
  });

  fact('H8 any id can be deleted', async (store, place) => {
    const ids = [
      '.',
      '..',
      '../other',
      'A',
      'a',
      'a\0b',
      '__proto__',
      '%',
      '\u{1F642}',
      'x'.repeat(1_024),
    ];
    for (const each of ids) await store.create(aRecord({ id: each }));
    await store.create(aRecord({ id: 'other' }));
    for (const each of ids) expect(await store.delete(each)).toBe(true);
    const again = await reopened(store, place);
    expect((await again.list({}, whole)).items.map((item) => item.id)).toEqual(['other']);
  });
}
