import { sharedPostgres, whyNoPostgres } from '@dramaturg/test-servers';
import type { StoreLocation } from '@dramaturg/host';
import type { NewRecord } from '@dramaturg/host/store';
import pg from 'pg';
import { describe } from 'vitest';
import { postgresStore } from '../src/index.ts';

const reason = whyNoPostgres();

/** Registers tests that need a server. Without one they are skipped, and the name says why. */
export function describeWithPostgres(name: string, register: () => void): void {
  // oxlint-disable-next-line vitest/valid-title -- The reason is a part of the name.
  describe.skipIf(reason !== undefined)(reason ? `${name} (${reason})` : name, () => {
    register();
  });
}

let database: Promise<string> | undefined;
let stores = 0;

/** A store in a schema of its own, of a database that the stores of this process share. */
export async function newStore(): Promise<StoreLocation> {
  database ??= sharedPostgres().then((server) => server.createDatabase().url);
  // Taken before the wait: tests that run at the same time have schemas of their own.
  const schema = `store_${(stores += 1)}`;
  return postgresStore(await database, { schema });
}

/** Runs statements as an operator does, on a connection of its own. */
export function queryOf(url: string): (text: string) => Promise<readonly object[]> {
  return async (text) => {
    const client = new pg.Client(url);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
}

/** A record to create. */
export function aRecord(fields: Partial<NewRecord> = {}): NewRecord {
  return { id: 'a', kind: 'instance', status: 'ACTIVE', createdAt: 1_000, snapshot: 0, ...fields };
}
