export { type AgentEnding, type AgentRequests, agentRequests, endedByAgent } from './reply.ts';
export type { ConversationBehaviour } from './behaviour.ts';
export { callInput, callKey, replyInput } from './call.ts';
export { type ConversationContext, type HandledEvent, own } from './context.ts';
export {
  conversationAgent,
  readConversationInput,
  type ReadInput,
  refuseInput,
} from './conversation-input.ts';
export { hear, isBare, type OpenQuestion, type QuestionOf, tellingLines } from './early.ts';
export {
  filledInput,
  namedAgents,
  type OnEnd,
  readOnEnd,
  startRequested,
  valuesAskedFor,
} from './hand-on.ts';
export { Fields, fieldsOf, longestList } from './fields.ts';
export { inbox, type MessageCheck, messageProblem, refuseWaiting } from './inbox.ts';
export {
  calling,
  errorCode,
  errorMessage,
  failedCall,
  failedTurn,
  failTurn,
  messageInTurn,
  type TurnParts,
  turnRegion,
  waitingNode,
} from './turn.ts';
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
export { ended, isSent, messageSent, readReply, replied, type Reply } from './reply.ts';
