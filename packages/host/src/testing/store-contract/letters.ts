import { expect } from 'vitest';
import { aChange, aLetter, allOf, aRecord, type Fact } from './stage.ts';

const id = 'lunch-with-maria';

export function letters(fact: Fact): void {
  fact('H1 a letter is stored when its promise fulfils, in order of arrival', async (store) => {
    await store.create(aRecord({ mailbox: [aLetter('m1')] }));
    const outcomes = await Promise.all(
      ['m2', 'm3', 'm4'].map((letter) => store.enqueue({ id, letter: aLetter(letter) })),
    );
    expect(outcomes).toEqual([true, true, true]);
    expect((await store.read(id))!.mailbox).toEqual(
      ['m1', 'm2', 'm3', 'm4'].map((name) => aLetter(name)),
    );
  });

  fact('a pending letter is not stored again, nor are its lines', async (store) => {
    await store.create(aRecord());
    await store.enqueue({ id, letter: aLetter('m1', 'first'), transcript: ['hi'] });
    const again = { id, letter: aLetter('m1', 'second'), journal: [1], transcript: ['hi'] };
    expect(await store.enqueue(again)).toBe(false);
    expect(await store.read(id)).toMatchObject({
      mailbox: [aLetter('m1', 'first')],
      journalLength: 0,
      transcriptLength: 1,
    });
  });

  fact(
    'a letter that arrives during a turn does not make the turn’s commit stale',
    async (store) => {
      await store.create(aRecord({ mailbox: [aLetter('m1')] }));
      await store.enqueue({ id, letter: aLetter('m2') });
      await store.commit(aChange({ handled: ['m1'] }));
      expect(await store.read(id)).toMatchObject({ revision: 2, mailbox: [aLetter('m2')] });
    },
  );

  fact('a letter that was handled and comes again waits at the end', async (store) => {
    await store.create(aRecord({ mailbox: [aLetter('m1'), aLetter('m2')] }));
    await store.commit(aChange({ handled: ['m1'] }));
    expect(await store.enqueue({ id, letter: aLetter('m1') })).toBe(true);
    expect((await store.read(id))!.mailbox).toEqual([aLetter('m2'), aLetter('m1')]);
  });

  fact('only a pending letter can be handled', async (store) => {
    await store.create(aRecord({ mailbox: [aLetter('m1')] }));
    const change = aChange({ handled: ['m1', 'm2'], journal: ['no'] });
    await expect(store.commit(change)).rejects.toMatchObject({ code: 'store/bad-request' });
    expect(await store.read(id)).toMatchObject({
      revision: 1,
      mailbox: [aLetter('m1')],
      journalLength: 0,
    });
  });

  fact('H7 an ended record accepts no letters', async (store) => {
    await store.create(aRecord({ mailbox: [aLetter('m1')] }));
    await store.commit(aChange({ ended: true }));
    await expect(store.enqueue({ id, letter: aLetter('m2') })).rejects.toMatchObject({
      code: 'store/ended',
    });
    expect(await store.enqueue({ id, letter: aLetter('m1') })).toBe(false);
    expect((await store.read(id))!.mailbox).toEqual([aLetter('m1')]);
  });

  fact('a letter to an unknown record is refused', async (store) => {
    const delivery = { id: 'nobody', letter: aLetter('m1') };
    await expect(store.enqueue(delivery)).rejects.toMatchObject({ code: 'store/unknown' });
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
      expect(await store.acknowledge({ id, letter: 'e2', transcript: ['sent'] })).toBe(true);
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
    expect(outcomes).toEqual([true, false]);
    expect((await store.read(id))!.transcriptLength).toBe(1);
  });

  fact('an ended record still accepts delivery receipts', async (store) => {
    await store.create(aRecord({ ended: true, outbox: [aLetter('e1')] }));
    expect(await store.acknowledge({ id, letter: 'e1' })).toBe(true);
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
    await store.create(aRecord({ id: 'c', createdAt: 3, mailbox: [aLetter('m1')] }));
    await store.create(aRecord({ id: 'a', createdAt: 1, outbox: [aLetter('e1')] }));
    await store.create(aRecord({ id: 'b', createdAt: 2 }));
    await store.create(aRecord({ id: 'd', createdAt: 4 }));
    await store.enqueue({ id: 'b', letter: aLetter('m1') });
    const pending = () => allOf((after) => store.pending({ limit: 2, ...after }));
    expect(await pending()).toEqual(['a', 'b', 'c']);
    await store.acknowledge({ id: 'a', letter: 'e1' });
    await store.commit({ id: 'c', expectedRevision: 1, handled: ['m1'], effects: [aLetter('e1')] });
    expect(await pending()).toEqual(['b', 'c']);
    await store.commit({ id: 'c', expectedRevision: 2, settled: ['e1'] });
    expect(await pending()).toEqual(['b']);
  });
}
