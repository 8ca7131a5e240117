import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  copyStore,
  lowdbStore,
  memoryStore,
  sqliteStore,
  type StoreLocation,
} from '@dramaturg/host';
import { everythingIn, fillAtRandom } from '@dramaturg/testing';
import { sharedPostgres } from '@dramaturg/test-servers';
import { expect, onTestFinished, test } from 'vitest';
import { postgresStore } from '../src/index.ts';
import { describeWithPostgres, newStore, queryOf } from './place.ts';

async function contentOf(place: StoreLocation): Promise<unknown> {
  const reader = await place.read();
  try {
    return await everythingIn(reader);
  } finally {
    await reader.close();
  }
}

describeWithPostgres('a copy', () => {
  test.each([1, 2])(
    'random records are the same after the way through Postgres and all other kinds of store (seed %i)',
    async (seed) => {
      const folder = mkdtempSync(join(tmpdir(), 'dramaturg-postgres-copy-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const from = memoryStore();
      await fillAtRandom(from, 15, seed);
      const fsync = 'never';
      const way = [
        await newStore(),
        lowdbStore(join(folder, 'one'), { fsync }),
        await newStore(),
        sqliteStore(join(folder, 'two.db'), { fsync }),
        await newStore(),
        memoryStore(),
      ];
      const checksums = new Set<string>();
      let last: StoreLocation = from;
      for (const next of way) {
        checksums.add((await copyStore(last, next)).checksum);
        last = next;
      }
      expect(checksums.size).toBe(1);
      expect(await contentOf(last)).toEqual(await contentOf(from));
    },
  );

  test('Postgres knows how many records were copied into it, so that lists use its indexes at once', async () => {
    const { url } = (await sharedPostgres()).createDatabase();
    const from = memoryStore();
    await fillAtRandom(from, 40, 1);
    const { records } = await copyStore(from, postgresStore(url));
    const tables = "SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'records'";
    // With the mark of the unfinished copy.
    expect(await queryOf(url)(tables)).toEqual([{ rows: records + 1 }]);
  });
});
