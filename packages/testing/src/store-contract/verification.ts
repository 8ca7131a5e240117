import { expect } from 'vitest';
import { contentOf } from './compaction.ts';
import { aChange, aRecord, type Fact } from './stage.ts';

export function verification(fact: Fact): void {
  fact('a sound store is verified, with the numbers of its records and lines', async (store) => {
    expect(await store.verify()).toEqual({ records: 0, lines: 0, damaged: [] });
    await store.create(aRecord({ journal: [1, 2], transcript: ['a'] }));
    await store.commit(aChange({ journal: [3] }));
    await store.create(aRecord({ id: 'other' }));
    const before = await contentOf(store);
    const progress: [number, number][] = [];
    const found = await store.verify((done, all) => progress.push([done, all]));
    expect(found).toEqual({ records: 2, lines: 4, damaged: [] });
    for (const [done, all] of progress) expect(done).toBeLessThanOrEqual(all);
    expect(await contentOf(store)).toEqual(before);
  });

  fact('writes during a verification are no damage', async (store) => {
    for (let index = 0; index < 50; index += 1)
      await store.create(aRecord({ id: `r${index}`, journal: [index] }));
    const verifying = store.verify();
    for (let index = 0; index < 50; index += 1) {
      await store.commit({ id: `r${index}`, expectedRevision: 1, journal: ['later'] });
      if (index % 5 === 0) await store.delete(`r${index}`);
    }
    expect((await verifying).damaged).toEqual([]);
    expect(await store.verify()).toEqual({ records: 40, lines: 80, damaged: [] });
  });
}
