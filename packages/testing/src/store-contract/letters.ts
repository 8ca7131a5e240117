import { expect } from 'vitest';
import { aChange, aLetter, allOf, aRecord, type Fact } from './stage.ts';

const id = 'lunch-with-maria';

export function letters(fact: Fact): void {
  fact('a receipt for an unknown record is refused', async (store) => {
    await expect(store.acknowledge({ id: 'nobody', letter: 'e1' })).rejects.toMatchObject({
      code: 'store/unknown',
    });
    expect(await store.read('nobody')).toBeUndefined();
  });

  fact(
    'H2 effects wait in the outbox, in the order decided, until each is acknowledged',
    async (store) => {
      await store.create(aRecord({ outbox: [aLetter('e1')] }));
      await store.commit(aChange({ effects: [aLetter('e2'), aLetter('e3')] }));
      expect(await store.acknowledge({ id, letter: 'e2', transcript: ['sent'] })).toBeDefined();
      expect(await store.read(id)).toMatchObject({
        revision: 2,
        outbox: [aLetter('e1'), aLetter('e3')],
        transcriptLength: 1,
      });
    },
  );

  fact('an effect is acknowledged once, and its lines are stored once', async (store) => {
    await store.create(aRecord({ outbox: [aLetter('e1')] }));
    const receipt = { id, letter: 'e1', transcript: ['sent'] };
    const outcomes = await Promise.all([store.acknowledge(receipt), store.acknowledge(receipt)]);
    expect(outcomes).toEqual([expect.objectContaining({ transcriptLength: 1 }), undefined]);
    expect((await store.read(id))!.transcriptLength).toBe(1);
  });

  fact('an ended record still accepts delivery receipts', async (store) => {
    await store.create(aRecord({ ended: true, outbox: [aLetter('e1')] }));
    expect(await store.acknowledge({ id, letter: 'e1' })).toBeDefined();
  });

  fact('a commit settles effects, acknowledged in the meantime or not', async (store) => {
    await store.create(aRecord({ outbox: [aLetter('e1'), aLetter('e2'), aLetter('e3')] }));
    await store.acknowledge({ id, letter: 'e1' });
    await store.commit(aChange({ settled: ['e1', 'e2'] }));
    expect((await store.read(id))!.outbox).toEqual([aLetter('e3')]);
  });

  fact(
    'an effect that is in the outbox cannot be decided again, unless it is settled',
    async (store) => {
      await store.create(aRecord({ outbox: [aLetter('e1', 'old'), aLetter('e2')] }));
      const change = aChange({ effects: [aLetter('e1', 'new')] });
      await expect(store.commit(change)).rejects.toMatchObject({ code: 'store/bad-request' });
      await store.commit({ ...change, settled: ['e1'] });
      expect((await store.read(id))!.outbox).toEqual([aLetter('e2'), aLetter('e1', 'new')]);
    },
  );

  fact('records with letters are pending, the oldest first', async (store) => {
    await store.create(aRecord({ id: 'c', createdAt: 3, outbox: [aLetter('e1')] }));
    await store.create(aRecord({ id: 'a', createdAt: 1, outbox: [aLetter('e1')] }));
    await store.create(aRecord({ id: 'b', createdAt: 2 }));
    await store.create(aRecord({ id: 'd', createdAt: 4 }));
    await store.commit({ id: 'b', expectedRevision: 1, effects: [aLetter('e1')] });
    const pending = () => allOf((after) => store.pending({ limit: 2, ...after }));
    expect(await pending()).toEqual(['a', 'b', 'c']);
    await store.acknowledge({ id: 'a', letter: 'e1' });
    await store.commit({ id: 'c', expectedRevision: 1, settled: ['e1'], effects: [aLetter('e2')] });
    expect(await pending()).toEqual(['b', 'c']);
    await store.commit({ id: 'c', expectedRevision: 2, settled: ['e2'] });
    expect(await pending()).toEqual(['b']);
  });
}
