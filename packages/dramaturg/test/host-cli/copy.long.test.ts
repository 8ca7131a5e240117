import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lowdbStore, sqliteStore, type StoreLocation } from '@dramaturg/host';
import { everythingIn, fillAtRandom } from '@dramaturg/testing';
import { postgresStore } from '@dramaturg/postgres';
import { sharedPostgres, whyNoPostgres } from '@dramaturg/test-servers';
import { describe, expect, test } from 'vitest';
import { dramaturg } from '../command.ts';
import { json, newStore, Running, until } from './processes.ts';

/** `dramaturg copy` in processes that are killed. */

interface Kind {
  readonly name: string;
  /** Why it cannot be tested here. */
  readonly why?: string | undefined;
  /** A store that does not exist, as an argument. */
  readonly store: (folder: string, name: string) => Promise<string>;
  readonly open: (store: string) => StoreLocation | Promise<StoreLocation>;
}

const kinds: readonly Kind[] = [
  {
    name: 'lowdb',
    store: async (folder, name) => join(folder, name),
    open: (at) => lowdbStore(at),
  },
  {
    name: 'sqlite',
    store: async (folder, name) => join(folder, `${name}.db`),
    open: (at) => sqliteStore(at),
  },
  {
    name: 'postgres',
    why: whyNoPostgres(),
    store: async () => (await sharedPostgres()).createDatabase().url,
    open: (at) => postgresStore(at),
  },
];

/** Each kind is read once and written once. */
const pairs = kinds.map((from, index) => {
  const to = kinds[(index + 1) % kinds.length]!;
  const why = from.why ?? to.why;
  return [
    `${from.name} to ${to.name}${why === undefined ? '' : ` (${why})`}`,
    { from, to, why },
  ] as const;
});

/** Whether a copy has opened the store. */
async function isInUse(kind: Kind, store: string): Promise<boolean> {
  try {
    await (await (await kind.open(store)).read()).close();
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'store/owned';
  }
}

async function contentOf(place: StoreLocation): Promise<unknown> {
  const reader = await place.read();
  try {
    return await everythingIn(reader);
  } finally {
    await reader.close();
  }
}

describe.each(pairs)('from %s', (_, { from: fromKind, to: toKind, why }) => {
  test.skipIf(why)('a copy that is killed twice has everything in the end', async () => {
    const folder = dirname(await newStore());
    let interrupted = 0;
    let [from, to, records] = ['', '', 50];
    let before: unknown;
    // A copy may be done before it is killed. Then a larger store is copied.
    while (interrupted === 0 && records < 4_000) {
      records *= 3;
      from = await fromKind.store(folder, `from-${records}`);
      to = await toKind.store(folder, `to-${records}`);
      await fillAtRandom(await fromKind.open(from), records, 7);
      before = await contentOf(await fromKind.open(from));
      for (let after = 20; after < 60_000; after *= 3) {
        const copy = new Running(['copy', from, to, '--json']);
        if (interrupted < 2)
          void until(async () => copy.hasEnded || (await isInUse(toKind, to)))
            .then(() => pause(after))
            .then(() => copy.end('SIGKILL'));
        if ((await copy.exit) === 0) break;
        const { stderr } = await dramaturg(['ps', to]);
        if (stderr.includes(`It goes on where it was with: dramaturg copy ${from} ${to}`))
          interrupted += 1;
      }
    }
    expect(interrupted).toBeGreaterThan(0);
    expect(await contentOf(await toKind.open(to))).toEqual(before);
    expect(await contentOf(await fromKind.open(from))).toEqual(before);
    expect(await json(['copy', from, to])).toMatchObject({ records, wasComplete: true });
  });
});
