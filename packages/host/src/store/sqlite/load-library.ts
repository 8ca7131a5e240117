import type Library from 'better-sqlite3';
import { StoreError } from '../errors.ts';

/** Loads better-sqlite3 when a store is opened. It is a native package, which hosts with other stores do not need. */
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
