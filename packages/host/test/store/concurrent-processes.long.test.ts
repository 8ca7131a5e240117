import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { ran } from './processes.ts';
import { temporaryFolder } from './temporary-folder.ts';

const stores = { lowdb: lowdbStore, sqlite: sqliteStore } as const;

describe.each(['lowdb', 'sqlite'] as const)('%s', (store) => {
  test('of several concurrent processes, one gets the store', async () => {
    const path = join(temporaryFolder(), 'store');
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => ran({ store, path })));
    const closed = outcomes.filter((said) => said.some(({ closed: done }) => done === true));
    expect(closed.length).toBeGreaterThan(0);
    // A process that opens the store after the first has closed it finds the record.
    const failures = outcomes.flatMap((said) => said.flatMap(({ failed }) => failed ?? []));
    expect(['store/owned', 'store/exists']).toEqual(expect.arrayContaining([...new Set(failures)]));
  });

  test('H6 of processes that open a store at the same instant, each gets it alone', async () => {
    const path = join(temporaryFolder(), 'store');
    const first = Date.now() + 4_000;
    const openAt = Array.from({ length: 50 }, (_, index) => first + index * 60);
    const outcomes = await Promise.all([1, 2].map(() => ran({ store, path, openAt })));
    const all = outcomes.flat();
    const stored = all.flatMap((line) => line['stored'] ?? []);
    // Both can be refused, when the owner before is still closing the store.
    expect(stored.length).toBeGreaterThan(openAt.length / 5);
    expect(new Set(stored).size).toBe(stored.length);
    const refused = all.flatMap((line) => line['refused'] ?? []);
    expect(new Set([...refused, 'store/owned'])).toEqual(new Set(['store/owned']));
    const again = await stores[store](path).open('the test');
    expect(await again.read('a')).toMatchObject({ snapshot: stored.length });
    await again.close();
  });
});
