import { expect } from 'vitest';
import { aChange, aRecord, type Fact } from './stage.ts';

export function timers(fact: Fact): void {
  fact('H5 due timers of all records come earliest first', async (store) => {
    await store.create(
      aRecord({
        id: 'a',
        timers: [
          { key: 'late', at: 50 },
          { key: 'early', at: 10 },
        ],
      }),
    );
    await store.create(aRecord({ id: 'b', timers: [{ key: 'middle', at: 20.5 }] }));
    await store.create(aRecord({ id: 'c', timers: [{ key: 'past', at: -5 }] }));
    expect(await store.due(50, 10)).toEqual([
      { id: 'c', key: 'past', at: -5 },
      { id: 'a', key: 'early', at: 10 },
      { id: 'b', key: 'middle', at: 20.5 },
      { id: 'a', key: 'late', at: 50 },
    ]);
  });

  fact(
    'a timer is due at its time and not before, and the limit of timers holds',
    async (store) => {
      await store.create(
        aRecord({
          timers: [
            { key: 'a', at: 10 },
            { key: 'b', at: 20 },
            { key: 'c', at: 30 },
          ],
        }),
      );
      const keys = async (before: number, limit: number) =>
        (await store.due(before, limit)).map(({ key }) => key);
      expect(await keys(9, 10)).toEqual([]);
      expect(await keys(10, 10)).toEqual(['a']);
      expect(await keys(29, 10)).toEqual(['a', 'b']);
      expect(await keys(Number.POSITIVE_INFINITY, 2)).toEqual(['a', 'b']);
    },
  );

  fact('timers of one record that are due together keep the order of its list', async (store) => {
    const keys = ['z', 'a', 'm', 'b'];
    await store.create(aRecord({ timers: keys.map((key) => ({ key, at: 10 })) }));
    expect((await store.due(10, 10)).map(({ key }) => key)).toEqual(keys);
    const changed = ['b', 'z', 'a'];
    await store.commit(aChange({ timers: changed.map((key) => ({ key, at: 10 })) }));
    expect((await store.due(10, 10)).map(({ key }) => key)).toEqual(changed);
  });

  fact(
    'a commit that names timers replaces them all, and one that does not keeps them',
    async (store) => {
      await store.create(
        aRecord({
          timers: [
            { key: 'a', at: 10 },
            { key: 'b', at: 20 },
          ],
        }),
      );
      await store.commit(
        aChange({
          timers: [
            { key: 'b', at: 5 },
            { key: 'c', at: 6 },
          ],
        }),
      );
      await store.commit(aChange({ expectedRevision: 2, status: 'WAITING' }));
      const due = [
        { id: 'lunch-with-maria', key: 'b', at: 5 },
        { id: 'lunch-with-maria', key: 'c', at: 6 },
      ];
      expect(await store.due(100, 10)).toEqual(due);
      await store.commit(aChange({ expectedRevision: 3, timers: [] }));
      expect(await store.due(100, 10)).toEqual([]);
    },
  );

  fact('two timers of one record cannot have the same key', async (store) => {
    const twice = [
      { key: 'a', at: 1 },
      { key: 'a', at: 2 },
    ];
    await expect(store.create(aRecord({ timers: twice }))).rejects.toMatchObject({
      code: 'store/bad-request',
    });
  });

  fact('a time that is not a number is refused', async (store) => {
    await store.create(aRecord());
    for (const at of [Number.NaN, Number.POSITIVE_INFINITY, '5' as unknown as number]) {
      await expect(store.commit(aChange({ timers: [{ key: 'a', at }] }))).rejects.toMatchObject({
        code: 'store/bad-request',
      });
      await expect(store.commit(aChange({ updatedAt: at }))).rejects.toMatchObject({
        code: 'store/bad-request',
      });
    }
    await expect(store.due(Number.NaN, 1)).rejects.toMatchObject({ code: 'store/bad-request' });
    expect(await store.read('lunch-with-maria')).toMatchObject({ revision: 1, timers: [] });
  });
}
