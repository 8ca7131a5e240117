import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import type { Store } from '../../src/store/contract.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { processWith, ran, type ProcessOutput } from './processes.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { linesInFeed } from '@dramaturg/testing';

const stores = { lowdb: lowdbStore, sqlite: sqliteStore } as const;

describe.each(['lowdb', 'sqlite'] as const)('%s', (store) => {
  const place = (path: string) => stores[store](path);

  test('H1 H2 a process killed at a write point loses no acknowledged write and leaves no partial write', async () => {
    const all = await ran({ store, path: join(temporaryFolder(), 'store'), printPoints: true });
    expect(all.at(-1)).toEqual({ closed: true });
    const points = all.filter(({ point }) => point !== undefined);
    const names = points.map(({ point }) => point);
    // Tests the first and the last occurrence of each name; in the short tests, the one in the middle.
    const notable = names.flatMap((name, index) =>
      names.indexOf(name) === index || names.lastIndexOf(name) === index ? [index] : [],
    );
    expect(notable.length).toBeGreaterThan(8);
    const chosen = runsAll ? notable : [notable[notable.length >> 1]!];
    let killed = 0;
    await inParallel(chosen, async (killAfter) => {
      const path = join(temporaryFolder(), 'store');
      const said = await ran({ store, path, killAfter });
      // Grouping of writes depends on the machine: a process may end before it reaches its last points.
      if (!said.some(({ closed }) => closed === true)) killed += 1;
      const again = await place(path).open('after the crash');
      const { found, expected } = await recordAfterCrash(again, said);
      expect({ killedAt: names[killAfter], killAfter, ...found }).toEqual({
        killedAt: names[killAfter],
        killAfter,
        ...expected,
      });
      await again.close();
    });
    expect(killed).toBeGreaterThan(runsAll ? 8 : 0);
  });

  test('H6 a store is refused while another process owns it, and taken over at once when that process is killed', async () => {
    const path = join(temporaryFolder(), 'store');
    const kill = await processWith({ store, path, stay: true });
    await expect(place(path).open('the second')).rejects.toMatchObject({
      code: 'store/owned',
      message: expect.stringMatching(/"the process of a test", process \d+ on .* remove .*lock/),
    });
    await kill();
    const second = await place(path).open('the second');
    await second.create({ id: 'a', kind: 'k', createdAt: 1, status: 's', snapshot: 1 });
    await second.close();
  });

  test('a file that cannot grow is a full disk: acknowledged writes stay, and refused ones are not stored', async () => {
    const path = join(temporaryFolder(), 'store');
    const said = await ran({ store, path, fillWith: 10_000 }, { fileSize: 400 });
    const { failed } = said.find((line) => line['failed'] !== undefined)!;
    expect(failed).toMatch(/^store\/(full|failed)$/);
    const letters = said.filter(({ letter }) => letter !== undefined).length;
    expect(letters).toBeGreaterThan(2);
    const again = await place(path).open('with more room');
    expect((await again.read('a'))!.outbox).toHaveLength(letters);
    expect(await again.damaged()).toEqual([]);
    await again.commit({ id: 'a', expectedRevision: letters + 1, status: 'next' });
    await again.close();
  });

  test('a location without write permission is read-only', async () => {
    const path = join(temporaryFolder(), 'store');
    await (await place(path).open('the first')).close();
    if (process.getuid?.() !== 0) return;
    const said = await ran({ store, path, asNobody: true });
    expect(said).toEqual([{ failed: 'store/read-only' }]);
  });
});

/** The record after a crash, and the expected record. */
async function recordAfterCrash(store: Store, said: ProcessOutput) {
  const lastRevision = said.findLast(({ revision }) => revision !== undefined)?.[
    'revision'
  ] as number;
  const damaged = await store.damaged();
  const record = await store.read('a');
  if (record === undefined)
    return { found: { damaged, lastRevision }, expected: { damaged: [], lastRevision: undefined } };
  const { revision, snapshot, parts, timers, outbox } = record;
  const range = { from: 0, limit: 100 };
  const letters = outbox.filter(({ id }) => id !== 'e').map(({ body }) => body as number);
  const isAcknowledged = said.some(({ acknowledged }) => acknowledged === true);
  await store.commit({ id: 'a', expectedRevision: revision, status: 'goes on' });
  return {
    found: {
      damaged,
      hasAll: revision >= (lastRevision ?? 0) && letters.length >= (lastRevision ?? 1) - 1,
      snapshot,
      parts,
      timers,
      letters,
      isDelivered: !outbox.some(({ id }) => id === 'e') || !isAcknowledged,
      journal: await store.journal('a', range),
      fed: (await linesInFeed(store)).get('a'),
      transcriptLength: (await store.transcript('a', range)).length,
      status: (await store.read('a'))!.status,
    },
    expected: {
      damaged: [],
      hasAll: true,
      snapshot: revision,
      parts: [{ key: `p${revision}`, value: revision }],
      timers: revision === 1 ? [] : [{ key: 't', at: revision }],
      letters: letters.map((_, index) => index + 2),
      isDelivered: true,
      journal: Array.from({ length: revision }, (_, index) => index + 1),
      fed: revision,
      transcriptLength: revision - 1,
      status: 'goes on',
    },
  };
}

/** Runs three at a time. */
async function inParallel<Item>(items: readonly Item[], run: (item: Item) => Promise<void>) {
  const remaining = items.values();
  const runThem = async () => {
    for (const item of remaining) await run(item);
  };
  await Promise.all([runThem(), runThem(), runThem()]);
}
