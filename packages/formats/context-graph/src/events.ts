import type { Json } from '@dramaturg/compiler';
import type { TransitionRecord } from './context.ts';
import type { StateType } from './definition.ts';

/** Events a conversation that follows a context graph accepts. Spec: docs/events.md */
export type GraphEvent =
  /** A line of the person. One that comes while another is being answered waits its turn. */
  | { readonly type: 'message.received'; readonly text: string }
  /** Makes the failed call of a turn again, and the turn goes on. Without a failed turn it has no effect. */
  | { readonly type: 'turn.retry' }
  /** Ends the conversation at once. */
  | { readonly type: 'cancel'; readonly reason?: string };

/** Events it emits. Spec: docs/formats/context-graph.md#events */
export type GraphEmitted =
  | {
      readonly type: 'state.entered';
      readonly state: string;
      readonly title: string;
      /** The type of the state. */
      readonly as: StateType;
      readonly from?: string;
    }
  /** The model named none of the options. It is asked once more; then the format decides. */
  | { readonly type: 'answer.refused'; readonly state: string; readonly answer: string }
  /** A tool was run; what it did stays done even when the turn is void. */
  | {
      readonly type: 'tool.called';
      readonly tool: string;
      readonly state: string;
      readonly result?: Json;
      readonly error?: string;
      /** Later calls see the result. */
      readonly kept: boolean;
    }
  | {
      readonly type: 'memory.recalled';
      readonly state: string;
      readonly memories: readonly string[];
    }
  /** A message for the model that the person never sees. */
  | { readonly type: 'thought.added'; readonly state: string; readonly text: string }
  | { readonly type: 'effect.triggered'; readonly state: string; readonly event_name: string }
  | {
      readonly type: 'traversal.completed';
      /** `[A] greeting -> [D] route_issue -> [A] hardware_support !A1` */
      readonly trace: string;
      readonly transitions: readonly TransitionRecord[];
      readonly state: string;
      /** The action that was taken. */
      readonly action: string;
      /** The states that will be come back to, the outermost first. */
      readonly jumpbacks: readonly string[];
    }
  | {
      readonly type: 'message.sent';
      readonly text: string;
      readonly key: string;
      readonly state: string;
    }
  | { readonly type: 'message.refused'; readonly because: string }
  /** The agent has called a tool that is not on offer. */
  | {
      readonly type: 'update.refused';
      readonly what: string;
      readonly because: string;
      readonly state: string;
    }
  /** The agent asks for a person on its side. */
  | { readonly type: 'help.requested'; readonly reason?: string; readonly state: string }
  | {
      readonly type: 'turn.failed';
      readonly port?: string;
      readonly code: string;
      readonly message: string;
      /** The state that the turn began in: the conversation stands there until the turn is spoken. */
      readonly state: string;
      /** The person's message: it is kept, unless the turn is void. */
      readonly unanswered?: string;
    }
  | ({ readonly type: 'conversation.ended' } & GraphOutput);

/** What a conversation leaves behind. */
export type GraphOutput = {
  readonly outcome: 'completed' | 'cancelled';
  /** The last state it was in. */
  readonly state: string;
  /** Why the agent has ended it, if it did and said so. */
  readonly reason?: string;
};

/** The actor's input. */
export interface GraphInput {
  /** The conversation's id; part of every idempotency key. */
  readonly conversation?: string;
  /** Whether the person was here before; false by default. */
  readonly returning?: boolean;
  /** Who has the first word; the agent by default. */
  readonly opening?: 'agent' | 'person';
}
