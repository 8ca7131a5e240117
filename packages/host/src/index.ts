export type { Clock } from './clock/clock.ts';
export { realClock } from './clock/real.ts';
export { virtualClock, type VirtualClock, type VirtualClockOptions } from './clock/virtual.ts';
export { understudyPorts, type UnderstudyOptions } from './understudy/understudy.ts';
export {
  type AtWritePoint,
  type DurableStoreOptions,
  type FsyncMode,
  lowdbStore,
  type LowdbStoreOptions,
  memoryStore,
  sqliteStore,
  StoreError,
  type StoreErrorCode,
} from './store/index.ts';
export type * from './store/contract.ts';
