/** The contract of a format, and what formats have in common. For authors of formats. */
export type {
  Authoring,
  Declaration,
  NameReference,
  TypedValue,
  PathPattern,
  Word,
} from '../authoring/authoring.ts';
export type {
  ConversationEmitted,
  MessageReceived,
  ConversationEnded,
  ConversationEvent,
  ConversationInput,
  ConversationOutput,
  HelpRequested,
  StartRequested,
  MessageRefused,
  MessageSent,
  Opening,
  StateEntered,
  TurnFailed,
  UpdateRefused,
} from '../contract/conversation.ts';
export type * as lifecycle from '../contract/lifecycle.ts';
export type * as workflow from '../contract/workflow.ts';
export { detect, type DetectHints } from '../detect.ts';
export {
  type Problem,
  problem,
  problemsOf,
  type ProblemKind,
  type ProblemOptions,
  type RelatedPlace,
} from '../diagnostic.ts';
export { fieldsWithoutMeaning } from '../shape.ts';
export type {
  DataTypes,
  EditorSchema,
  Form,
  AgentReference,
  Format,
  FormatKind,
  Imports,
  FormField,
  Pattern,
  Placeholders,
  Recognition,
  Report,
  ReportDetails,
  Rule,
  Elsewhere,
  FoundPlace,
  Place,
  PlaceFinder,
} from '../format.ts';
export {
  type Action,
  type ContextMaker,
  type Effects,
  type FittedContext,
  type Guard,
  type GuardReason,
  inSentences,
  type InputMaker,
  type NextReplyMaker,
  type OutputMaker,
  type ReasonMaker,
  type Scope,
} from '../link/behaviour.ts';
export type { EachInput, EachOutput, ItemStart } from '../link/each-contract.ts';
export { type PersistentList, valuesOf, withValue } from '../link/persistent-list.ts';
export { references, type References } from '../link/references.ts';
export { isLong, takeWork, takeWorkOfThread, withinWork } from '../link/work.ts';
export type { PlaceholderValues } from '../placeholders/fill.ts';
export { hasPlaceholder, replacePlaceholders } from '../placeholders/placeholder.ts';
export { compilerProblems } from '../problems.ts';
export {
  joinTexts,
  type LocatedText,
  locatedText,
  readLocatedText,
  textAt,
  valueAt,
  read,
  type ReadOptions,
} from '../read/read.ts';
export { partOf } from '../read/part.ts';
export { Reporter } from '../reporter.ts';
export { requireFrom } from '../require-from.ts';
