export type {
  Authoring,
  Declaration,
  NameReference,
  Place as AuthoringPlace,
  PlacePattern,
  Word,
} from './authoring/authoring.ts';
export type { AuthoringOptions } from './authoring/authored-text.ts';
export type { Completion } from './authoring/completion.ts';
export { completionsAt } from './authoring/completions.ts';
export { definitionAt } from './authoring/definition.ts';
export { type Hover, hoverAt } from './authoring/hover.ts';
export { type DefinitionSymbol, symbolsIn } from './authoring/symbols.ts';
export type {
  Chart,
  ChartInvoke,
  ChartNode,
  ChartTransition,
  EachInvoke,
  NodeMeta,
  PortInvoke,
  Reference,
} from './chart/chart.ts';
export { type CoverageUnit, originOf, unitKey, unitsOf } from './chart/coverage-units.ts';
export { type ChartOperand, operandsMeta } from './chart/operands.ts';
export { nodeKey } from './chart/node-key.ts';
export { nodeName } from './chart/node-name.ts';
export { chartsOf } from './chart/walk.ts';
export { checkChart } from './chart/check.ts';
export { ChartError, type ChartErrorCode } from './chart/problems.ts';
export { type ComparedDefinition, compareDefinitions } from './comparison/compare-definitions.ts';
export type { DefinitionChange, PartName } from './comparison/definition-change.ts';
export { comparisonMermaid } from './comparison/comparison-mermaid.ts';
export type { Outline, PartKind } from './comparison/outline.ts';
export { type Checked, check, compile, type Compiled, type CompileOptions } from './compile.ts';
export type {
  ConversationEmitted,
  ConversationEnded,
  ConversationEvent,
  ConversationInput,
  ConversationOutput,
  HelpRequested,
  MessageRefused,
  MessageSent,
  Opening,
  StateEntered,
  TurnFailed,
  UpdateRefused,
} from './contract/conversation.ts';
export type * as lifecycle from './contract/lifecycle.ts';
export { failedTag, hiddenTag, restingTag, waitingTag } from './contract/tags.ts';
export type * as workflow from './contract/workflow.ts';
export { type AnyFormat, detect, type DetectHints } from './detect.ts';
export {
  type Diagnostic,
  hasErrors,
  type Position,
  type Problem,
  problem,
  type ProblemKind,
  type ProblemOptions,
  type Range,
  type RelatedPlace,
  type Severity,
} from './diagnostic.ts';
export { loopsOf, reachableFrom, rootsOf } from './directed-graph.ts';
export { DramaturgError } from './error.ts';
export { didYouMean, nearestName } from './did-you-mean.ts';
export { fieldsWithoutMeaning } from './fields-without-meaning.ts';
export { fromJson, toJson } from './export/artifact.ts';
export { drawingOf, type DrawingOptions } from './export/drawing.ts';
export type { Drawing, DrawnEdge, DrawnNode } from './export/drawn.ts';
export { type MermaidLook, type MermaidOptions, toMermaid } from './export/mermaid.ts';
export { toStately } from './export/stately.ts';
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
} from './format.ts';
export { agreeing, counted, quotedChain, quotedList, withArticle } from './grammar.ts';
export { isRecord, type Json, type JsonObject } from './json.ts';
export { inEnglish } from './in-english.ts';
export {
  type Alternative,
  type Alternatives,
  alternativesMeta,
  shapeByValue,
} from './json-schema/alternatives.ts';
export { jsonSchemaOf } from './json-schema/json-schema.ts';
export { mapSchemas } from './json-schema/map-schemas.ts';
export { withValues } from './json-schema/with-values.ts';
export {
  type Action,
  type AgentRole,
  type Behaviour,
  type ContextMaker,
  type ContextMigration,
  type Effects,
  type EventObject,
  type FittedContext,
  type Identity,
  type Guard,
  type GuardReason,
  InputError,
  inSentences,
  type InputMaker,
  type NextReplyMaker,
  type OutputMaker,
  type ReasonMaker,
  type Scope,
} from './link/behaviour.ts';
export type {
  FailedItems,
  NodePlace,
  RestingState,
  RunFailure,
  Standing,
  StateVisit,
  ToldItem,
} from './link/standing.ts';
export type { EachInput, EachOutput, ItemStart } from './link/each-contract.ts';
export {
  type ItemCounts,
  itemCountsOf,
  itemProgressOf,
  itemsOf,
  type ItemView,
  runningItemsOf,
  withItems,
  sharedByItemsOf,
} from './link/each-items.ts';
export { EndlessRunError } from './link/fuse/run.ts';
export { link, LinkError, type LinkOptions } from './link/link.ts';
export { listen } from './link/listen.ts';
export { agentRoleOf } from './link/machine.ts';
export { nameUse } from './link/names.ts';
export type { Pause } from './link/pauses.ts';
export { type PersistentList, valuesOf, withValue } from './link/persistent-list.ts';
export { references, type References } from './link/references.ts';
export { realWorld, type World } from './link/world.ts';
export { longestInbox, longestMessage } from './message-limits.ts';
export { nextTurn } from './next-turn.ts';
export { protectHeaders, protectSecret, protectSecretsIn } from './secrets/known-secrets.ts';
export { withoutSecrets } from './secrets/without-secrets.ts';
export { errorWithoutSecrets } from './secrets/error-without-secrets.ts';
export { type Path, printPath } from './path.ts';
export type { PlaceholderValues } from './placeholders/fill.ts';
export { hasPlaceholder, replacePlaceholders } from './placeholders/placeholder.ts';
export type { Elsewhere, FoundPlace, Place, PlaceFinder } from './place.ts';
export { type Places, placesIn, type PlacesOptions } from './places.ts';
export {
  type NextReply,
  type Port,
  type PortInput,
  type PortName,
  type PortOutput,
  type Ports,
  portSchemas,
  type PromptSection,
  type ToolCall,
  type ToolSpec,
  type Usage,
  usageSchema,
} from './ports/contract.ts';
export type { PortWishes } from './ports/next-reply.ts';
export type { PortCall, SpokenLine } from './ports/port-call.ts';
export { PortError, type PortErrorCode } from './ports/errors.ts';
export { askPort } from './ports/ask-port.ts';
export {
  shortCode,
  type Decision,
  type Question,
  readDecision,
  whyRefused,
} from './ports/decision.ts';
export { editedFields, type Edits, readEdits, shortNames } from './ports/edits.ts';
export { fieldAt, stepsOf } from './ports/field-path.ts';
export { machinesOfItems, providePorts, runsItems, unprovided } from './ports/provide.ts';
export { isToolPattern, mayUseTool } from './ports/tool-names.ts';
export type { ProvideOptions } from './ports/port-logic.ts';
export { agentEnded, type AgentEnding } from './ports/agent-ending.ts';
export { nestingExceeded, nestingMax } from './ports/nesting.ts';
export {
  accountName,
  type CountedCost,
  costToCount,
  sumOfCounted,
} from './ports/spending-account.ts';
export { type PortEnding, usageIn, type UsageRecorded, usageRecorded } from './ports/usage.ts';
export { compilerProblems } from './problems.ts';
export { printGithub } from './print/github.ts';
export { diagnosticsToJson, type PlacedFinding } from './print/json.ts';
export { printPretty } from './print/pretty.ts';
export { visible } from './print/visible.ts';
export {
  joinTexts,
  type LocatedText,
  locatedText,
  readLocatedText,
  textAt,
  valueAt,
} from './read/located-text.ts';
export { partOf } from './read/part.ts';
export { type Language, languageOf, read, type ReadOptions } from './read/read.ts';
export type { Source } from './read/source.ts';
export { Reporter } from './reporter.ts';
export { checkShape } from './shape.ts';
export { unknownFields } from './unknown-fields.ts';
