import type Library from 'better-sqlite3';
import { StoreError } from '../errors.ts';

/**
 * Loads better-sqlite3 when a store is opened. It is a native package of 27 MB, which hosts with other stores do not need, so users install
 * it themselves.
 */
export async function loadLibrary(): Promise<typeof Library> {
  try {
    return (await import('better-sqlite3')).default;
  } catch (cause) {
    throw new StoreError(
      'store/failed',
      (cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
        ? 'A store in SQLite needs the package better-sqlite3, which is not installed. Run: npm install better-sqlite3. A folder, which is a store of lowdb, needs no other package.'
        : 'The package better-sqlite3 cannot be loaded. Install it for this system and version of Node, or use lowdbStore.',
      { cause },
    );
  }
}
