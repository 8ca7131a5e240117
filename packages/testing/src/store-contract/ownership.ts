import { expect } from 'vitest';
import { aLetter, aRecord, type Fact } from './stage.ts';

export function ownership(fact: Fact): void {
  fact('H6 a second owner is refused, and the error names the first', async (store, place) => {
    await store.create(aRecord());
    await expect(place.open('somebody else')).rejects.toMatchObject({
      name: 'StoreError',
      code: 'store/owned',
      message: expect.stringContaining('the contract'),
    });
    expect(await store.read('lunch-with-maria')).toBeDefined();
  });

  fact('H6 a place can be owned again once it has been given up', async (store, place) => {
    await store.close();
    const second = await place.open('the second');
    await expect(place.open('the third')).rejects.toMatchObject({
      code: 'store/owned',
      message: expect.stringContaining('the second'),
    });
    await second.close();
  });

  fact('H6 an owner is certain of its store until it closes it', async (store) => {
    const { ownership: own } = store;
    await own.confirm();
    expect(own.isCertain()).toBe(true);
    await store.close();
    expect(own.isCertain()).toBe(false);
    await expect(own.confirm()).rejects.toMatchObject({ code: 'store/closed' });
    expect(own.lost.aborted).toBe(false);
  });

  fact('a closed store does nothing', async (store) => {
    await store.create(aRecord());
    await store.close();
    const id = 'lunch-with-maria';
    const calls = [
      () => store.create(aRecord({ id: 'other' })),
      () => store.commit({ id, expectedRevision: 1 }),
      () => store.acknowledge({ id, letter: 'e' }),
      () => store.read(id),
      () => store.list({}, { limit: 1 }),
      () => store.due(0, 1),
      () => store.pending({ limit: 1 }),
      () => store.journal(id, { from: 0, limit: 1 }),
      () => store.transcript(id, { from: 0, limit: 1 }),
      () => store.damaged(),
      () => store.delete(id),
      () => store.compact(),
      () => store.verify(),
      () => store.backup('elsewhere'),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'store/closed' });
    await store.close();
  });

  fact('writes called before the store is closed are stored', async (store, place) => {
    const writes = [
      store.create(aRecord({ outbox: [aLetter('m1'), aLetter('m2')] })),
      store.acknowledge({ id: 'lunch-with-maria', letter: 'm1' }),
      store.commit({ id: 'lunch-with-maria', expectedRevision: 1, status: 'LAST' }),
    ];
    await store.close();
    await Promise.all(writes);
    const again = await place.open('the contract, again');
    const record = await again.read('lunch-with-maria');
    await again.close();
    expect(record).toMatchObject({ status: 'LAST', revision: 2, outbox: [aLetter('m2')] });
  });
}
