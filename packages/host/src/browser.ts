/** The parts of the host that run in a browser: everything except disks and terminals. */
export type { AttachmentOptions, AttachmentPlace } from './attachments/attachment-files.ts';
export {
  type Channel,
  type OutgoingMessage,
  RejectedError,
  RetryLaterError,
} from './channel/channel.ts';
export {
  type ChannelContext,
  type ChannelConversation,
  type HttpChannel,
} from './channel/http-channel.ts';
export { webhookChannel } from './channel/webhook.ts';
export type { Clock } from './clock/clock.ts';
export { manualClock, type ManualClock } from './clock/manual.ts';
export { realClock } from './clock/real.ts';
export { virtualClock, type VirtualClock } from './clock/virtual.ts';
export type { Behaviours } from './definitions/behaviours.ts';
export type { Definition } from './definitions/definition.ts';
export type { WrittenContact } from './contact.ts';
export type { EraseOptions } from './erasure/eraser.ts';
export { InstancesRunningError } from './erasure/eraser.ts';
export type { ErasureReceipt } from './erasure/receipt.ts';
export type { RetentionPolicy } from './erasure/retention-policy.ts';
export { HostError, type HostErrorCode } from './errors.ts';
export { InstanceHistory, type PastStep } from './history/history.ts';
export { createHost, eraseFrom, readStore } from './host/create-host.ts';
export type { EventFilter } from './host/event-streams.ts';
export type { ReaderPosition } from './host/reader-position.ts';
export type { Host, ReceivedMessage } from './host/host.ts';
export type { Routed } from './host/routed.ts';
export type { Charts, InstanceReader, ReadOptions, StoredChart } from './host/instance-reader.ts';
export type { InstanceFilter } from './host/instance-filter.ts';
export type { Started } from './host/instance-starter.ts';
export type { AtCheckpoint, AtStep, HostOptions, StartOptions } from './host/options.ts';
export type { CheckpointSummary } from './host/checkpoints.ts';
export type { DecisionFilter, DecisionGiven, DecisionSummary } from './host/decisions.ts';
export type { ItemFilter, ItemStatus, ItemSummary } from './host/items.ts';
export type { Act, ActFilter } from './host/acts.ts';
export type { QueueCounts } from './host/desk.ts';
export type { DraftOptions } from './host/draft.ts';
export type { InboxFilter, InboxItem } from './host/inbox.ts';
export type { MigrateOptions } from './host/migrating.ts';
export type { InstanceAssessment } from './migration/assess-instances.ts';
export type { MigrationMap, Verdict } from './migration/migration.ts';
export type { ByOperator, InterveneOptions, TakeOverOptions } from './host/operator.ts';
export type { InstanceSummary, InstanceView } from './host/view.ts';
export type { Owner } from './instance/claim.ts';
export type { InstanceFailure, StatePosition, Wait } from './host/standing.ts';
export type { ItemCounts } from '@dramaturg/compiler/machine';
export type { OpenDecision } from './instance/open-decisions.ts';
export type { DeliveryReport, DeliveryStatus } from './instance/delivery-reports.ts';
export type {
  Accepted,
  Answer,
  DeliveryEvent,
  FailedAttempt,
  HostEvent,
  Role,
  TranscriptLine,
} from './instance/event.ts';
export { limitPorts, type Limits, type Prices, type UsageTotal } from './limits/index.ts';
export { agentToolNames } from './instance/agent-tools.ts';
export { rememberNothing } from './memory/memory-owner.ts';
export type { MemoryOwner } from './memory/memory-owner.ts';
export { spendingInMemory } from './spending/count-spending.ts';
export { RecordingError } from './recording/recording.ts';
export { type RecordedRun, readRecording } from './recording/read-recording.ts';
export { record, type RecordOptions } from './recording/record.ts';
export { type Recording, unrecorded } from './recording/recording.ts';
export { replay } from './recording/replay.ts';
export type { Store, StoreLocation } from './store/contract.ts';
export { StoreError, type StoreErrorCode } from './store/errors.ts';
export { memoryStore } from './store/memory.ts';
export { planRepair } from './store/repair.ts';
export type { RepairStep } from './store/verification.ts';
export type { Page } from './store/selections.ts';
export type { HostVerification, StuckInstance } from './host/stuck.ts';
export type { DamagedRecord, Verification } from './store/verification.ts';
export { type Copied, type CopyOptions, copyStore } from './store/copy/copy-store.ts';
