import { expect, onTestFinished } from 'vitest';
import { contentOf } from './compaction.ts';
import { aChange, aLetter, aRecord, type Fact } from './stage.ts';

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
