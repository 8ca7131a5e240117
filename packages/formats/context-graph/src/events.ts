import type { Json, JsonObject } from '@dramaturg/compiler';
import type {
  ConversationEvent,
  ConversationInput,
  ConversationOutput,
  StateEntered,
  TurnFailed,
} from '@dramaturg/compiler/format';
import type { ConversationEmitted, Event } from '@dramaturg/conversation';
import type { TransitionRecord } from './context.ts';
import type { StateType } from './shape.ts';

/** Events that a conversation with a context graph accepts. Spec: docs/events.md */
export type GraphEvent = ConversationEvent;

/** Events that a conversation with a context graph emits. Spec: docs/formats/context-graph.md#events */
export type GraphEmitted =
  | ConversationEmitted
  /** `as` is the type of the state. */
  | (StateEntered & { readonly as: StateType })
  /** The model named none of the options. It is asked once more; after that the format decides. */
  | Event<'answer.refused', { state: string; answer: string }>
  /** A tool was run. Its effects remain even if the turn is void. */
  | Event<'tool.called', { tool: string; state: string } & CalledTool>
  | Event<'memory.recalled', { state: string; memories: readonly string[] }>
  /** A message for the model that the person never sees. */
  | Event<'thought.added', { state: string; text: string }>
  | Event<'effect.triggered', { state: string; event_name: string }>
  | Event<'traversal.completed', CompletedTraversal>
  /** `state` is the one in which the turn began: the conversation stays there until the turn is spoken. */
  | (TurnFailed & { readonly state: string })
  | Event<'conversation.ended', GraphOutput>;

interface CalledTool {
  /** Absent when the tool was not called, because no arguments were built. */
  readonly arguments?: JsonObject;
  readonly result?: Json;
  readonly error?: string;
  /** Later calls see the result. */
  readonly kept: boolean;
}

interface CompletedTraversal {
  /** `[A] greeting -> [D] route_issue -> [A] hardware_support !A1` */
  readonly trace: string;
  readonly transitions: readonly TransitionRecord[];
  readonly state: string;
  /** The action that was taken. */
  readonly action: string;
  /** The states to which calls return, the outermost first. */
  readonly jumpbacks: readonly string[];
}

/** The output of the actor. */
export type GraphOutput = ConversationOutput & {
  /** `completed`, `cancelled`, `ended_by_agent`, or an outcome of the author. */
  readonly outcome: string;
};

/** The actor's input. */
export type GraphInput = ConversationInput & {
  /** Whether the person was here before; false by default. */
  readonly returning?: boolean;
};
