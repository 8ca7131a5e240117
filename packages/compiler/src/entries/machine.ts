/** The interface between a linked machine and its host. For hosts. */
export type { AgentRole, Behaviour, ContextMigration, Identity } from '../link/behaviour.ts';
export type {
  FailedItems,
  NodePlace,
  RestingState,
  RunFailure,
  Standing,
  StateVisit,
  ItemDescription,
} from '../link/standing.ts';
export {
  type ItemCounts,
  itemCountsOf,
  itemProgressOf,
  itemsOf,
  type ItemView,
  mayStartMore,
  runningItemsOf,
  withItems,
  sharedByItemsOf,
} from '../link/each-items.ts';
export { checkedChart } from '../export/artifact.ts';
export { linking } from '../link/link.ts';
export { agentRoleOf, goOnEvent, isCut } from '../link/machine.ts';
export { nameUse } from '../link/names.ts';
export { itemLoadOf, type Pause, PauseQueue } from '../link/pauses.ts';
export { endWork, withinWork } from '../link/work.ts';
export { type Apart, realWorld, type ThreadTask, type World } from '../link/world.ts';
export {
  longestInbox,
  longestMessage,
  cutOffBy,
  ThoughtFilter,
  withoutThoughts,
} from '../ports/whole-reply.ts';
export { isTurnLong, nextTurn } from '../next-turn.ts';
export { atOnce, runSliced, type Sliced } from '../sliced.ts';
export { usageSchema } from '../ports/contract.ts';
export type { PortWishes } from '../ports/next-reply.ts';
export { askPort } from '../ports/ask-port.ts';
export {
  shortCode,
  type Decision,
  type Question,
  readDecision,
  whyRefused,
  editedFields,
  type Edits,
  readEdits,
  shortNames,
  fieldAt,
  stepsOf,
} from '../ports/decision.ts';
export { isTemporary } from '../ports/errors.ts';
export { machinesOfItems, runsItems, unprovided } from '../ports/provide.ts';
export {
  isToolPattern,
  mayUseTool,
  permissionsExceeded,
  portsWithin,
  requireEnforced,
  requirePermitted,
  toolNamesOnly,
  type ToolPermissions,
  withinPermissions,
} from '../ports/tool-names.ts';
export {
  agentEnded,
  type AgentEnding,
  nestingExceeded,
  nestingMax,
  accountName,
  type CountedCost,
  costToCount,
  sumOfCounted,
  type PortEnding,
  usageIn,
  type UsageRecorded,
  usageRecorded,
} from '../ports/usage.ts';
