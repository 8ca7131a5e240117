export type { FsyncMode } from './fsync.ts';
export { lowdbStore, type LowdbStoreOptions } from './lowdb/lowdb-store.ts';
export type { DurableStoreOptions } from './options.ts';
export { sqliteStore } from './sqlite/sqlite-store.ts';
