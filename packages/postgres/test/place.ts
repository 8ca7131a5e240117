import { sharedPostgres, whyNoPostgres } from '@dramaturg/test-servers';
import type { StoreLocation } from '@dramaturg/host';
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

/** A store in a database of its own. */
export async function newStore(): Promise<StoreLocation> {
  const server = await sharedPostgres();
  return postgresStore(server.createDatabase().url);
}
