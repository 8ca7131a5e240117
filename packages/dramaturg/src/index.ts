export * from './browser.ts';
export {
  consoleChannel,
  type ErasedRecordings,
  eraseRecordings,
  lowdbStore,
  breakCircuits,
  limitToolCalls,
  memoryPorts,
  streamCallbacks,
  spendingPorts,
  type MemoryOptions,
  recordingFile,
  type RehearsalResult,
  type RehearseOptions,
  sqliteStore,
} from '@dramaturg/host';
export { folderStorage } from './object-storage/folder-storage.ts';
export type * from './object-storage/object-storage.ts';
export { ObjectStorageError } from './object-storage/object-storage-error.ts';
export { withObjectStorage } from './object-storage/with-object-storage.ts';
export { rehearse } from './rehearse.ts';
export { callToolPort, type PlainTool, type ToolLimits, type ToolUse } from '@dramaturg/host/tools';
export { readImports } from './imports.ts';
