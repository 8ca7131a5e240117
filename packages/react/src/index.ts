export type { Decision, Question } from '@dramaturg/compiler/machine';
export {
  type Box,
  type CountedUnit,
  coverageIn,
  type FoundCoverage,
  layOut,
  type LayoutOptions,
  type PlacedDrawing,
  type PlacedEdge,
  type PlacedNode,
  type Point,
} from '@dramaturg/drawing';
export type { ColorScheme } from './color-scheme.ts';
export { Conversation, type ConversationProps } from './conversation/conversation.tsx';
export type {
  ConversationOptions,
  ConversationState,
  StoredConversation,
} from './conversation/conversation-run.ts';
export {
  DecisionForm,
  type DecisionFormProps,
  type DecisionLabels,
} from './conversation/decision-form.tsx';
export type { StateProgress } from './conversation/running-machines.ts';
export type { Message } from './conversation/conversation-run.ts';
export { type ConversationControls, useConversation } from './conversation/use-conversation.ts';
export { CoverageList, type CoverageListProps } from './coverage/coverage-list.tsx';
export {
  type Deliverable,
  Deliverables,
  type DeliverablesProps,
} from './deliverables/deliverables.tsx';
export {
  askHost,
  eventsIn,
  hostClient,
  type HostClientOptions,
  HostRequestError,
  type Query,
  queryText,
} from './host/host-client.ts';
export { type HostState, keepFollowing } from './host/host-watch.ts';
export type {
  Accepted,
  HostProtocol,
  InstancePage,
  InstanceQuery,
  LineRange,
  MessageRequest,
  StartRequest,
} from './host/host-client.ts';
export { durationText } from './duration.ts';
export { type HostControls, useHost } from './host/use-host.ts';
export { Statechart, type StatechartProps } from './statechart/statechart.tsx';
export { Timeline, type TimelineEvent, type TimelineProps } from './timeline/timeline.tsx';
