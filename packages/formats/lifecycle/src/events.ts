import type { lifecycle } from '@dramaturg/compiler/format';
import type { HeartbeatConfig, Todo, TodoStatus } from './context.ts';
import type { Kind, TurnKind } from './vocabulary.ts';

/**
 * Events that an instance with the lifecycle of a conversation accepts, besides the events of its table. A message is named by
 * its id in the conversation's log. Its text may be included: it is passed on and not kept. Spec:
 * docs/formats/lifecycle.md#events
 */
export type LifecycleEvent =
  | lifecycle.LifecycleEvent
  /** An operator writes to the contact by hand. When the channel has accepted the message, `manual_send` follows. */
  | { readonly type: 'intervene'; readonly id?: string; readonly text?: string }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  /** The agent takes the waiting messages; only with the policy `pick_up: when_available`. */
  | { readonly type: 'agent.available' };

/** Events that a lifecycle emits. Spec: docs/formats/lifecycle.md#events */
export type LifecycleEmitted =
  | (lifecycle.StateEntered & { readonly kind: Kind })
  | lifecycle.MessageRecorded
  | lifecycle.MessageSendRequested
  /** The number of messages that wait for the agent, who can take them with `agent.available`. */
  | { readonly type: 'agent.wanted'; readonly messages: number }
  | (lifecycle.TurnStarted & { readonly kind: TurnKind })
  | lifecycle.TurnAborted
  | lifecycle.InboxCleared
  | {
      readonly type: 'timer.scheduled';
      readonly state: string;
      readonly event: string;
      readonly at: number;
    }
  | { readonly type: 'timer.failed'; readonly code: string; readonly message: string }
  | { readonly type: 'todo.marked'; readonly todo_id: string; readonly status: TodoStatus }
  | EventRefused
  | ({ readonly type: 'instance.ended' } & LifecycleOutput);

export type EventRefused = lifecycle.EventRefused;

/** The outcome of an instance. */
export type LifecycleOutput = lifecycle.LifecycleOutput & {
  readonly follow_up_count: number;
  readonly turns: number;
  readonly todos: readonly Todo[];
};

/** The actor's input. */
export type LifecycleInput = lifecycle.LifecycleInput & {
  /** Replaces the definition's own. */
  readonly heartbeat_config?: Partial<HeartbeatConfig>;
  /** A checklist that the agent marks. Ids are `todo-1`, `todo-2` ... when absent. */
  readonly todos?: readonly {
    readonly id?: string;
    readonly text: string;
    readonly status?: TodoStatus;
  }[];
};
