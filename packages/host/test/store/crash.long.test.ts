import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Store, StoreLocation } from '../../src/store/contract.ts';
import { nodeSystem } from '../../src/store/disk/system.ts';
import { lowdbStore } from '../../src/store/lowdb/lowdb-store.ts';
import { machineProcesses } from '../../src/store/owner/processes.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { linesInFeed, SimulatedFiles } from '@dramaturg/testing';
import { processWith, ran, type ProcessOutput } from './processes.ts';
import { writeRevisions } from './revisions.ts';
import { randomNumbers, SimulatedProcess } from './simulated-machine.ts';
import { temporaryFolder } from './temporary-folder.ts';

const stores = { lowdb: lowdbStore, sqlite: sqliteStore } as const;

describe.each(['lowdb', 'sqlite'] as const)('%s', (store) => {
  const place = (path: string) => stores[store](path);

  test('H1 H2 a process that dies at any write point loses no acknowledged write and leaves no partial write', async () => {
    const deaths = await deathsOf[store]();
    expect(new Set(deaths.map(({ point }) => point)).size).toBeGreaterThan(8);
    for (const [index, { point, said, left }] of deaths.entries()) {
      const again = await left.open('after the crash');
      const { found, expected } = await recordAfterCrash(again, said);
      expect({ point, index, ...found }).toEqual({ point, index, ...expected });
      await again.close();
    }
  });

  test('H1 H2 a process that is killed loses no acknowledged write and leaves no partial write', async () => {
    const path = join(temporaryFolder(), 'store');
    const said = await ran({ store, path, killAfter: 60 });
    expect(said).not.toContainEqual({ closed: true });
    const again = await place(path).open('after the crash');
    const { found, expected } = await recordAfterCrash(again, said);
    expect(found).toEqual(expected);
    await again.close();
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

/** What a process leaves that dies at a write point. */
interface Death {
  readonly point: string;
  readonly said: ProcessOutput;
  readonly left: StoreLocation;
}

/** The deaths of a process at all of its write points. Each leaves a copy of the files. */
const deathsOf = {
  lowdb: async () => {
    const files = new SimulatedFiles();
    const { system } = new SimulatedProcess(files, 1, randomNumbers(1));
    return deathsAt(
      (atWritePoint) => lowdbStore('/store', { system, journalSize: 600, atWritePoint }),
      () => {
        const next = new SimulatedProcess(files.killed(), 2, randomNumbers(2));
        return lowdbStore('/store', { system: next.system, journalSize: 600 });
      },
    );
  },
  sqlite: async () => {
    const folder = temporaryFolder();
    const dead = { ...machineProcesses(), isAlive: () => false };
    const system = { ...nodeSystem(), processes: dead };
    let copies = 0;
    return deathsAt(
      (atWritePoint) => sqliteStore(join(folder, 'alive', 'store'), { atWritePoint }),
      () => {
        copies += 1;
        const copy = join(folder, String(copies));
        if (existsSync(join(folder, 'alive')))
          cpSync(join(folder, 'alive'), copy, { recursive: true });
        return sqliteStore(join(copy, 'store'), { system });
      },
    );
  },
} as const;

async function deathsAt(
  placeWith: (atWritePoint: (point: string) => void) => StoreLocation,
  leave: () => StoreLocation,
): Promise<Death[]> {
  const deaths: Death[] = [];
  const said: Record<string, unknown>[] = [];
  const store = await placeWith((point) => {
    deaths.push({ point, said: [...said], left: leave() });
  }).open('a process');
  await writeRevisions(store, (line) => said.push(line));
  await store.close();
  return deaths;
}

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
