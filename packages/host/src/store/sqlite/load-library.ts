import type Library from 'better-sqlite3';
import { StoreError } from '../errors.ts';

/** Loaded when the first store is opened: the library is native, and a host with another store can do without it. */
export async function loadLibrary(): Promise<typeof Library> {
  try {
    return (await import('better-sqlite3')).default;
  } catch (cause) {
    throw new StoreError(
      'store/failed',
      'The package better-sqlite3 cannot be loaded. Install it for this system and version of Node, or use lowdbStore.',
      { cause },
    );
  }
}
