import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scaled } from '../../../../.config/scaled.ts';
import type { Store } from '../../src/store/contract.ts';
import { StoreError } from '../../src/store/errors.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { randomNumbers } from './simulated-machine.ts';
import { temporaryFolder } from './temporary-folder.ts';

const ends = ['', '-wal', '-mark'];
const whole = { from: 0, limit: 10_000 };
const damagesPerStore = 25;
const frameSize = 24 + 4_096;

type Below = (limit: number) => number;

/** The files of a store whose process has died, what it has, and its files at earlier times. */
interface StoreAtRest {
  readonly file: string;
  readonly content: unknown;
  readonly earlier: readonly string[];
}

function copied(file: string): string {
  const copy = join(temporaryFolder(), 'store.db');
  for (const end of ends) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
  return copy;
}

async function storeAtRest(below: Below): Promise<StoreAtRest> {
  const file = join(temporaryFolder(), 'store.db');
  const earlier: string[] = [];
  let store = await sqliteStore(file).open('the test');
  for (let step = 0; step < 40; step += 1) {
    await write(store, below);
    if (step % 5 === 4) earlier.push(copied(file));
    if (below(25) > 0) continue;
    await store.close();
    store = await sqliteStore(file).open('the test');
  }
  // The log is not empty.
  await store.create({ id: 'last', kind: 'k', createdAt: 1, status: 's', snapshot: 1 });
  const atRest = { file: copied(file), content: await contentOf(store), earlier };
  await store.close();
  return atRest;
}

async function write(store: Store, below: Below): Promise<void> {
  const id = `r${below(5)}`;
  const found = await store.read(id);
  const next = { snapshot: below(1_000), journal: ['x'.repeat(below(10) === 0 ? 9_000 : 20)] };
  if (found === undefined)
    await store.create({ id, kind: 'k', createdAt: 1, status: 's', ...next });
  else if (below(20) === 0) await store.compact();
  else await store.commit({ id, expectedRevision: found.revision, ...next });
}

async function contentOf(store: Pick<Store, 'list' | 'read' | 'journal'>) {
  const { items } = await store.list({}, { limit: 100 });
  return Promise.all(
    items.map(async ({ id }) => [await store.read(id), await store.journal(id, whole)]),
  );
}

/** @returns what was done; undefined when the file has the same content as before */
function damage(file: string, { earlier }: StoreAtRest, below: Below): string | undefined {
  const end = ends[[0, 1, 1, 1, 2][below(5)]!]!;
  if (!existsSync(file + end)) return undefined;
  const before = readFileSync(file + end);
  const harms = {
    emptied: () => Buffer.alloc(0),
    cut: () => before.subarray(0, below(before.length)),
    'cut after a frame': () =>
      before.subarray(0, 32 + frameSize * below((before.length - 32) / frameSize)),
    flipped: () => {
      // Rows of the database have checksums of their own.
      const after = Buffer.from(before);
      if (end !== '') after[below(before.length)]! ^= 1 << below(8);
      return after;
    },
    'replaced by an older one': () => {
      const older = earlier[below(earlier.length)]! + end;
      return existsSync(older) ? readFileSync(older) : before;
    },
  };
  const names = Object.keys(harms) as (keyof typeof harms)[];
  const name = names[below(names.length)]!;
  const after = harms[name]();
  writeFileSync(file + end, after);
  return after.equals(before) ? undefined : `${name} store.db${end}`;
}

async function outcomeOf(file: string, content: unknown): Promise<string> {
  try {
    const store = await sqliteStore(file).open('the test, again');
    try {
      const { damaged } = await store.verify();
      if (damaged.length > 0) return 'noticed';
      expect(await contentOf(store)).toEqual(content);
      return 'unchanged';
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return /^store\/(damaged|foreign)$/.test(error.code) ? 'noticed' : String(error);
  }
}

test('one file that was cut, emptied, changed or replaced by an older copy is noticed, or nothing is lost by it', async () => {
  const count = scaled(200);
  let noticed = 0;
  let store: StoreAtRest | undefined;
  for (let seed = 1; seed <= count; seed += 1) {
    const random = randomNumbers(seed);
    const below: Below = (limit) => Math.floor(random() * limit);
    if (store === undefined || seed % damagesPerStore === 1) store = await storeAtRest(below);
    const file = copied(store.file);
    const harm = damage(file, store, below);
    const outcome = await outcomeOf(file, store.content).catch((error: unknown) => String(error));
    const expected = harm === undefined ? /^unchanged$/ : /^(noticed|unchanged)$/;
    expect({ seed, harm, outcome }).toEqual({
      seed,
      harm,
      outcome: expect.stringMatching(expected),
    });
    if (outcome === 'noticed') noticed += 1;
  }
  expect(noticed).toBeGreaterThan(count / 3);
});
