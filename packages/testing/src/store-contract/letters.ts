import { expect } from 'vitest';
import { aChange, aLetter, allOf, aRecord, type Fact, reopened } from './stage.ts';

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

export function lines(fact: Fact): void {
  fact('lines are read by number, from the first', async (store) => {
    await store.create(aRecord({ journal: ['a', 'b'], transcript: [1], outbox: [aLetter('m1')] }));
    await store.commit(aChange({ journal: ['c'], transcript: [2, 3] }));
    await store.acknowledge({ id, letter: 'm1', journal: ['d'], transcript: [4] });
    const journal = (from: number, limit: number) => store.journal(id, { from, limit });
    expect(await journal(0, 10)).toEqual(['a', 'b', 'c', 'd']);
    expect(await journal(1, 2)).toEqual(['b', 'c']);
    expect(await journal(3, 10)).toEqual(['d']);
    expect(await journal(4, 10)).toEqual([]);
    expect(await journal(400, 10)).toEqual([]);
    expect(await store.transcript(id, { from: 0, limit: 3 })).toEqual([1, 2, 3]);
  });

  fact('a line may be any JSON value', async (store) => {
    const all = [null, true, 0, -1.5e300, '', 'two\nlines\u2028', [], {}, [[{ a: [null] }]]];
    await store.create(aRecord({ journal: all }));
    expect(await store.journal(id, { from: 0, limit: 100 })).toEqual(all);
  });

  fact('a long history is read anywhere, before and after a restart', async (store, place) => {
    await store.create(aRecord());
    // So long that no store keeps all lines in one piece.
    const turn = (number: number) => ({ number, text: `${number} `.repeat(1 + (number % 97)) });
    const turns = 3_000;
    for (let first = 0; first < turns; first += 100) {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) => {
          const number = first + index;
          return store.commit(
            aChange({ expectedRevision: number + 1, snapshot: number, transcript: [turn(number)] }),
          );
        }),
      );
    }
    const check = async (opened: typeof store) => {
      for (const from of [0, 1, 499, 1_500, 2_901, 2_999]) {
        const expected = [turn(from), ...(from + 1 < turns ? [turn(from + 1)] : [])];
        expect(await opened.transcript(id, { from, limit: 2 })).toEqual(expected);
      }
      const everything = await opened.transcript(id, { from: 0, limit: 10_000 });
      expect(everything).toEqual(Array.from({ length: turns }, (_, number) => turn(number)));
    };
    await check(store);
    await check(await reopened(store, place));
  });

  fact('an unknown record has no lines', async (store) => {
    const range = { from: 0, limit: 1 };
    await expect(store.journal('nobody', range)).rejects.toMatchObject({ code: 'store/unknown' });
    await expect(store.transcript('nobody', range)).rejects.toMatchObject({
      code: 'store/unknown',
    });
  });

  fact('lines are asked for by whole numbers', async (store) => {
    await store.create(aRecord());
    for (const range of [
      { from: -1, limit: 1 },
      { from: 0.5, limit: 1 },
      { from: 0, limit: 0 },
      { from: 0, limit: 10_001 },
      { from: 0, limit: Number.NaN },
    ]) {
      await expect(store.journal(id, range)).rejects.toMatchObject({ code: 'store/bad-request' });
    }
  });
}
