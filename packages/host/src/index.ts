export * from './browser.ts';
export { attachmentBucket, type BucketClient } from './attachments/attachment-bucket.ts';
export { attachmentFolder } from './attachments/attachment-folder.ts';
export { consoleChannel } from './channel/console.ts';
export { limitToolCalls } from './admission/limit-tool-calls.ts';
export { breakCircuits } from './circuits/break-circuits.ts';
export { streamCallbacks } from './streaming/stream-callbacks.ts';
export { memoryPorts, type MemoryOptions } from './memory/memory-ports.ts';
export { spendingPorts, type SpendingOptions } from './spending/spending-ports.ts';
export {
  type ErasedRecordings,
  eraseRecordings,
  recordingFile,
  rehearse,
  type RehearsalResult,
  type RehearseOptions,
} from './recording/index.ts';
export {
  type DurableStoreOptions,
  type FsyncMode,
  lowdbStore,
  type LowdbStoreOptions,
  sqliteStore,
} from './store/index.ts';
