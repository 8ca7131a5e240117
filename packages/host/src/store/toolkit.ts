/** A toolkit for stores in their own packages: the contract of a store, and the checks, forms, errors and files that all stores share. */
export { attentionColumns, attentionSum } from './attention.ts';
export {
  checkedBefore,
  checkedFeed,
  checkedLimit,
  checkedName,
  checkedRange,
  checkedTime,
  type ListPosition,
} from './check.ts';
export {
  badRequest,
  conflict,
  damagedRecord,
  quoted,
  recordExists,
  storeClosed,
  systemCodeOf,
  unknownRecord,
} from './errors.ts';
export type {
  Attention,
  Change,
  Committed,
  DefinitionVersion,
  DueTimer,
  Letter,
  NewLines,
  NewRecord,
  Part,
  Receipt,
  RecordOrigin,
  RecordSummary,
  StoreReader,
  StoreRecord,
  Timer,
} from './contract.ts';
export { CheckedReader, type StoredRecords } from './checked-reader.ts';
export type { FileStatus, FileSystem, OpenFile, OpenMode } from './disk/file-system.ts';
export { makeFolders } from './disk/make-folders.ts';
export { replaceFile } from './disk/replace-file.ts';
export { nodeSystem, type Scheduler, type System } from './disk/system.ts';
export type { AtWritePoint } from './disk/write-point.ts';
export type { FeedEntry, FeedPage, FeedPlace, FeedRequest } from './feed.ts';
export { warn } from './options.ts';
export type { Processes, ProcessIdentity } from './owner/processes.ts';
export type { Ownership } from './ownership.ts';
export type { CountFilter, LineRange, Page, PageRequest, RecordFilter } from './selections.ts';
export type { DamagedRecord, Verification } from './verification.ts';
export { checkSum, RecordDamageError } from './record-damage-error.ts';
export { checkCommit, questionsField } from './record-state.ts';
export {
  type AcknowledgeWrite,
  acknowledgeWrite,
  type CommitWrite,
  commitWrite,
  type CreateWrite,
  createWrite,
  type LetterText,
  type LineTexts,
  type PartText,
  type Write,
  type WriteResult,
} from './write.ts';
export { overriding } from './overriding.ts';
export { TableReader, type Tables } from './table-reader.ts';
export {
  changedColumns,
  committedIn,
  createdColumns,
  dueIn,
  linesIn,
  outboxIn,
  partsIn,
  type PieceColumns,
  type RecordColumns,
  snapshotIn,
  sumOfLetter,
  sumOfSnapshot,
  summariesIn,
  summaryIn,
} from './table-rows.ts';
export { pieceTables, recordsPerSlice, verifyTables } from './verify-tables.ts';
