export type { FileStatus, FileSystem, OpenFile, OpenMode } from './disk/file-system.ts';
export { nodeSystem, type Scheduler, type System } from './disk/system.ts';
export type { AtWritePoint } from './disk/write-point.ts';
export type { FsyncMode } from './fsync.ts';
export { lowdbStore, type LowdbStoreOptions } from './lowdb/lowdb-store.ts';
export type { DurableStoreOptions } from './options.ts';
export type { Processes, ProcessIdentity } from './owner/processes.ts';
export { sqliteStore } from './sqlite/sqlite-store.ts';
