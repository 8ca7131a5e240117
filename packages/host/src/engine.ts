/** The parts that hosts on other engines are built from: they decide, bound the work, and check commands. */
export { actKinds } from './host/acts.ts';
export { Activity } from './admission/activity.ts';
export { Schedule } from './admission/schedule.ts';
export { AttachmentFiles } from './attachments/attachment-files.ts';
export { jsonParts } from './definitions/definition.ts';
export { lengthBelow } from './instance/journal-lines.ts';
export { Library, type LoadedDefinition, refOf } from './definitions/library.ts';
export type { DraftParts } from './host/draft.ts';
export { byHandEvent } from './host/by-hand.ts';
export type { ByOperator, InterveneOptions } from './host/operator.ts';
export { type Bounds, boundsOf } from './host/bounds.ts';
export { type CallLanes, callLanesOf, callTicket } from './host/call-lanes.ts';
export {
  type ChannelLanes,
  channelLanesOf,
  type Delivery,
  type DeliveryOptions,
  type DeliveryOutcome,
  type MessageSource,
  messageTicket,
  type NextMessage,
} from './host/channel-lane.ts';
export { ErrorReporter, type OnError } from './host/error-reporter.ts';
export {
  cursorAt,
  feedPositionOf,
  journalLineOf,
  positionOf,
  withCursors,
} from './host/event-cursor.ts';
export { EventStreams } from './host/event-streams.ts';
export { journalCursor } from './host/journal-cursor.ts';
export { JournalStreams } from './host/journal-streams.ts';
export { MessageTexts } from './host/message-texts.ts';
export { type BirthOrder, birthOf } from './host/birth.ts';
export type { InstanceReader } from './host/instance-reader.ts';
export type { DefinitionsToStart, PreparedStart, Started } from './host/instance-starter.ts';
export { Host, type HostEngine, HostState, type WaitOptions } from './host/host.ts';
export { locateIn } from './host/definition-reader.ts';
export { isInstanceId } from './host/record-ids.ts';
export { type AddressedStart, hostOptionNames } from './host/options.ts';
export * from './host/request.ts';
export { findStuck, whyStuck } from './host/stuck.ts';
export { type SpokenPlace, spokenLines } from './host/spoken-lines.ts';
export { withAgentRules } from './host/with-agent-rules.ts';
export { childStart, endingOfRefused, endingOfStart, parentRefOf } from './instance/child-start.ts';
export { childId } from './instance/children.ts';
export { journalLine } from './instance/event.ts';
export { readProgress } from './host/read-progress.ts';
export { onlyReminds } from './instance/follow-up.ts';
export {
  continuation,
  type FamilyLetter,
  isFamilyLetter,
  messageLetter,
  type MessageLetter,
  type OutboxLetter,
  routeOf,
  sendableNow,
} from './instance/letter.ts';
export { LiveInstance } from './instance/live-instance.ts';
export { refusal } from './instance/refusal.ts';
export { isOwnEvent } from './instance/own-events.ts';
export { stateOf } from './instance/snapshot-parts.ts';
export type { StepResult } from './instance/step-result.ts';
export { type Step, StepWorld } from './instance/step-world.ts';
export {
  definitionsOf,
  definitionsOfNew,
  type LoadedDefinitions,
  servicesOf,
  type Surroundings,
} from './instance/surroundings.ts';
export { askWithinLimits, isMetered, parseInboxLimits, parseLimits } from './limits/index.ts';
export type { CallUsage, InboxLimits, UsageTotal } from './limits/index.ts';
export { type RecordedError, toPortError, toRecordedError } from './recording/recorded-error.ts';
export {
  badRequest,
  hostStopped,
  isUnknownInstance,
  unknownInstance,
  unlessErased,
} from './errors.ts';
export { Lane } from './admission/lane.ts';
export { MessageGroups, type WaitingMessage } from './host/message-groups.ts';
export { TaskQueue } from './host/task-queue.ts';
export { queueStatesOf } from './host/queue-states.ts';
export { noHolder } from './host/routed.ts';
export { Serial } from './host/serial.ts';
export { priorInstanceTerminal } from './instance/event.ts';
export { refusalOfRepeated } from './instance/refusal.ts';
export { checkedName, checkedPage, type ListPosition, toCursor } from './store/check.ts';
export {
  badRequest as badStoreRequest,
  conflict,
  recordExists,
  unknownRecord,
} from './store/errors.ts';
export { attentionField } from './store/attention.ts';
export { SoleOwnership } from './store/ownership.ts';
export { changedSummary, firstSummary, toCommitted } from './store/record-state.ts';
export { commitWrite, createWrite } from './store/write.ts';
export { Backlog, tooManyEvents } from './host/backlog.ts';
export { Copies } from './erasure/copies.ts';
export { linkCopy } from './erasure/copy-links.ts';
export { Eraser } from './erasure/eraser.ts';
export { Retention } from './erasure/retention.ts';
export { startOfCopy } from './history/copy-start.ts';
export { Checkpoints } from './host/checkpoints.ts';
export { ForkRecord, forkingStatus } from './host/fork-record.ts';
export { type ForkCreator, Forking } from './host/forking.ts';
export { ancestryOf, type InstanceState } from './instance/state.ts';
export { mayResetTimers, resetsTimers } from './host/last-alive.ts';
export { unprovided } from './host/port-calls.ts';
export { reportAttempts } from './host/report-attempts.ts';
export { timersIn } from './instance/instance-calls.ts';
export { matchesFilter } from './store/index/record-index.ts';
export { readLines, readPages } from './store/pages.ts';
export { concurrently } from './store/slices.ts';
export { aliveId, writeHostRecord } from './host/record-ids.ts';
export { ReaderRecord } from './host/reader-position.ts';
export { readJournal } from './instance/journal-lines.ts';
export { durable, type DurableMachine, type Inspect } from './xstate/machine-actor.ts';
export { versionOf } from './definitions/definition.ts';
export { addCall, noUsage, parsePrices } from './limits/index.ts';
export { hasNextReplies } from './recording/read-recording.ts';
export type { Birth } from './instance/state.ts';
export { isTraceparent } from './instance/trace-link.ts';
export { describeDifference, firstDifference } from './recording/difference.ts';
export type { Source } from './instance/event.ts';
