/** For stores in packages of their own: the checks, forms and errors that all stores share. */
export { type AttentionColumns, attentionColumns, attentionIn, attentionSum } from './attention.ts';
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
  StoreError,
  storeClosed,
  type StoreErrorCode,
  systemCodeOf,
  unknownRecord,
} from './errors.ts';
export { warn } from './options.ts';
export { checkSum, RecordDamageError } from './record-damage-error.ts';
export { cannotRestart, letterAlreadyInOutbox, questionsField } from './record-state.ts';
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
