export * from './browser.ts';
export { consoleChannel } from './channel/console.ts';
export { memoryPorts, type MemoryOptions } from './memory/memory-ports.ts';
export {
  recordingFile,
  type RecordingFile,
  rehearse,
  type RehearsalResult,
  type RehearseOptions,
} from './recording/index.ts';
export {
  type AtWritePoint,
  type DurableStoreOptions,
  type FsyncMode,
  lowdbStore,
  type LowdbStoreOptions,
  sqliteStore,
} from './store/index.ts';
