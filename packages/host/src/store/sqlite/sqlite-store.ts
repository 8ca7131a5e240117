import type { StoreLocation } from '../contract.ts';
import type { DurableStoreOptions } from '../options.ts';

/**
 * Creates a store in one SQLite file. No record is kept in memory, and every filter has an index. For one machine and
 * up to millions of records. It needs the native package better-sqlite3.
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: sqliteStore('conversations.db'),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * await host.start('intake', { contact: 'ada' });
 * console.log((await host.list()).items.length); // → 1
 * await host.stop();
 * ```
 */
export function sqliteStore(file: string, options: DurableStoreOptions = {}): StoreLocation {
  const opening = () => import('./open.ts');
  return {
    open: async (owner) => (await opening()).openOwned(file, owner, options),
    read: async () => (await opening()).openForReading(file, options),
    repairs: async () => (await opening()).planRepairs(file, options),
  };
}
