import { expect } from 'vitest';
import { aChange, aLetter, aRecord, type Fact, reopened } from './stage.ts';

const id = 'lunch-with-maria';

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
