export * from './browser.ts';
export { isTraceparent } from './instance/trace-link.ts';
export { consoleChannel } from './channel/console.ts';
export { eventStreamType, sseResponse } from './channel/sse-response.ts';
export { limitToolCalls } from './admission/limit-tool-calls.ts';
export { breakCircuits } from './circuits/break-circuits.ts';
export { streamCallbacks } from './streaming/stream-callbacks.ts';
export { memoryPorts, type MemoryOptions } from './memory/memory-ports.ts';
export { spendingPorts, type SpendingOptions } from './spending/spending-ports.ts';
export {
  type ErasedRecordings,
  eraseRecordings,
  recordingFile,
  type RecordingFile,
  rehearse,
  type RehearsalResult,
  type RehearseOptions,
} from './recording/index.ts';
export {
  type AtWritePoint,
  type DurableStoreOptions,
  type FileStatus,
  type FileSystem,
  type FsyncMode,
  lowdbStore,
  type LowdbStoreOptions,
  makeFolders,
  nodeSystem,
  type OpenFile,
  type OpenMode,
  type Processes,
  type ProcessIdentity,
  replaceFile,
  type Scheduler,
  sqliteStore,
  type System,
} from './store/index.ts';
