/** Ports for what agents of workflows use: tools, memories, money, object storages, callbacks. See docs/formats/asl-agents.md */
export {
  breakCircuits,
  limitToolCalls,
  type MemoryOptions,
  memoryPorts,
  spendingPorts,
  streamCallbacks,
} from '@dramaturg/host';
export { callToolPort, type PlainTool } from '@dramaturg/host/tools';
export { folderStorage } from './object-storage/folder-storage.ts';
export type { ObjectStorage } from './object-storage/object-storage.ts';
export { ObjectStorageError } from './object-storage/object-storage.ts';
export { withObjectStorage } from './object-storage/object-storage.ts';
