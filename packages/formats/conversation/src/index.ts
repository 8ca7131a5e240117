export { type AgentEnding, type AgentRequests, agentRequests, endedByAgent } from './reply.ts';
export type { ConversationBehaviour } from './behaviour.ts';
export { callInput, callKey, replyInput, unanswered } from './call.ts';
export { type ConversationContext, type HandledEvent, own } from './context.ts';
export {
  conversationAgent,
  readConversationInput,
  type ReadInput,
  refuseInput,
} from './conversation-input.ts';
export { ask, hear, isBare, type OpenQuestion, type QuestionOf, tellingLines } from './early.ts';
export {
  errorCode,
  errorMessage,
  failedCall,
  failedTurn,
  failTurn,
  turnFailed,
} from './failed-turn.ts';
export {
  filledInput,
  namedAgents,
  type OnEnd,
  readOnEnd,
  startRequested,
  valuesAskedFor,
} from './hand-on.ts';
export {
  inbox,
  type MessageCheck,
  messageInTurn,
  messageProblem,
  nextInInbox,
  refuseWaiting,
  takeFromInbox,
  takeMessage,
} from './inbox.ts';
export {
  constant,
  data,
  fillPlaceholders,
  growingData,
  longestOutline,
  type OptionalSection,
  placeholder,
  present,
  progress,
  quotedIn,
  section,
} from './prompt.ts';
export {
  checkOnEnd,
  definitionProblems,
  reportDefinitions,
  startProblems,
} from './unknown-definitions.ts';
export {
  announcements,
  checkOtherTarget,
  end,
  handOverMeta,
  helpRequested,
  human,
  isOtherTarget,
  type OtherTarget,
  otherTargetProblems,
  otherTargets,
  restart,
} from './other-targets.ts';
export { refusedFields } from './refused-fields.ts';
export { longestSummary, summarising, summaryBehaviour, summarySection } from './summary.ts';
export { isSent, messageSent, readReply, type Reply } from './reply.ts';
