export { type Channel, type OutgoingMessage, Rejected } from './channel/channel.ts';
export { consoleChannel } from './channel/console.ts';
export { webhookChannel, type WebhookOptions } from './channel/webhook.ts';
export type { Clock } from './clock/clock.ts';
export { manualClock, type ManualClock } from './clock/manual.ts';
export { realClock } from './clock/real.ts';
export { virtualClock, type VirtualClock, type VirtualClockOptions } from './clock/virtual.ts';
export { contactKey } from './contact.ts';
export { type Definition, versionOf } from './definitions/definition.ts';
export { HostError, type HostErrorCode } from './errors.ts';
export { createHost, readStore } from './host/create-host.ts';
export type { EventFilter } from './host/event-stream.ts';
export type { Host, Routed } from './host/host.ts';
export type { InstanceFilter, InstanceReader } from './host/instance-reader.ts';
export type { HostOptions, StartOptions } from './host/options.ts';
export type { InstanceSummary, InstanceView } from './host/view.ts';
export type { CheckpointSummary } from './host/checkpoints.ts';
export type { DecisionFilter, DecisionGiven, DecisionSummary } from './host/decisions.ts';
export type { OpenDecision } from './instance/open-decisions.ts';
export type {
  Answer,
  DeliveryEvent,
  HostEvent,
  Role,
  Source,
  TranscriptLine,
} from './instance/event.ts';
export type * from './store/contract.ts';
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
export { understudyPorts, type UnderstudyOptions } from './understudy/understudy.ts';
