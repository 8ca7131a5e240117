/** The parts of the host that run in a browser: everything except disks and terminals. */
export {
  type Channel,
  type OutgoingMessage,
  RejectedError,
  RetryLaterError,
} from './channel/channel.ts';
export {
  type ChannelContext,
  type ChannelConversation,
  type ChannelHost,
  type HttpChannel,
  isHttpChannel,
} from './channel/http-channel.ts';
export { webhookChannel, type WebhookOptions } from './channel/webhook.ts';
export type { Clock, Stopwatch } from './clock/clock.ts';
export { manualClock, type ManualClock } from './clock/manual.ts';
export { realClock } from './clock/real.ts';
export { virtualClock, type VirtualClock, type VirtualClockOptions } from './clock/virtual.ts';
export { contactKey } from './contact.ts';
export { type Definition, type DefinitionSource, versionOf } from './definitions/definition.ts';
export type { EraseOptions } from './erasure/eraser.ts';
export { InstancesRunningError } from './erasure/instances-running-error.ts';
export type { ErasureReceipt } from './erasure/receipt.ts';
export type { RetentionPolicy } from './erasure/retention-policy.ts';
export { HostError, type HostErrorCode } from './errors.ts';
export {
  type Departure,
  type HistoryOptions,
  InstanceHistory,
  type PastStep,
} from './history/history.ts';
export { createHost, eraseFrom, readStore } from './host/create-host.ts';
export type { EventFilter } from './host/event-streams.ts';
export type { ReaderPosition } from './host/reader-position.ts';
export type { FirstConversation, Host, ReceivedMessage } from './host/host.ts';
export type { Routed } from './host/message-router.ts';
export type { Charts, InstanceReader, ReadOptions, StoredChart } from './host/instance-reader.ts';
export type { InstanceFilter } from './host/instance-filter.ts';
export type { AtCheckpoint, AtStep, HostOptions, StartOptions } from './host/options.ts';
export type { CheckpointSummary } from './host/checkpoints.ts';
export type { DecisionFilter, DecisionGiven, DecisionSummary } from './host/decisions.ts';
export type { ItemFilter, ItemStatus, ItemSummary } from './host/items.ts';
export { type Act, type ActFilter, type ActKind } from './host/acts.ts';
export type { QueueCounts } from './host/desk.ts';
export type { DraftOptions } from './host/draft.ts';
export type { InboxFilter, InboxItem } from './host/inbox.ts';
export type { MigrateOptions } from './host/migrating.ts';
export type { InstanceAssessment } from './migration/assess-instances.ts';
export type { Assessment, MigrationMap, Verdict } from './migration/migration.ts';
export type { ByOperator, TakeOverOptions } from './host/operator.ts';
export type { InstanceSummary, InstanceView } from './host/view.ts';
export { type QueueName } from './instance/attention.ts';
export type { Owner } from './instance/claim.ts';
export type { Note } from './instance/note.ts';
export type {
  InstanceFailure,
  InstanceStanding,
  StatePosition,
  TextPosition,
  Wait,
} from './host/standing.ts';
export type { ItemCounts } from '@dramaturg/compiler/machine';
export type { StateStep } from './xstate/state-paths.ts';
export type { Birth } from './instance/state.ts';
export type { StepInput } from './instance/step-input.ts';
export type { OpenDecision } from './instance/open-decisions.ts';
export type {
  DeliveryReport,
  DeliveryStatus,
  ReportedDelivery,
} from './instance/delivery-reports.ts';
export type {
  Answer,
  DeliveryEvent,
  FailedAttempt,
  HostEvent,
  Role,
  Source,
  TranscriptLine,
} from './instance/event.ts';
export {
  type CallLimits,
  limitPorts,
  type Limits,
  noUsage,
  type Price,
  type Prices,
  parsePrices,
  type UsageTotal,
  addCall,
} from './limits/index.ts';
export type { MemoryOwner } from './memory/memory-owner.ts';
export { type PoolOptions, spendingInMemory } from './spending/count-spending.ts';
export { RecordingError, type RecordingErrorCode } from './recording/recording-error.ts';
export { hasNextReplies, type RecordedRun, readRecording } from './recording/read-recording.ts';
export { record, type RecordOptions } from './recording/record.ts';
export { type Recording, unrecorded } from './recording/recording.ts';
export { replay, type ReplayOptions } from './recording/replay.ts';
export type * from './store/contract.ts';
export type { Ownership } from './store/ownership.ts';
export { StoreError, type StoreErrorCode } from './store/errors.ts';
export { memoryStore } from './store/memory.ts';
export { planRepair } from './store/repair.ts';
export type { RepairStep } from './store/repair-step.ts';
export { type Copied, type CopyOptions, copyStore } from './store/copy/copy-store.ts';
export { type UnderstudyCue, understudyCues } from './understudy/cues.ts';
export { understudyPorts, type UnderstudyOptions } from './understudy/understudy.ts';
