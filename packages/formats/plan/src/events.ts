import type { Json } from '@dramaturg/compiler';
import type {
  ConversationEvent,
  ConversationInput,
  ConversationOutput,
  StateEntered,
  TurnFailed,
} from '@dramaturg/compiler/format';
import type { ConversationEmitted, Event } from '@dramaturg/conversation';

/** Events that a conversation with a plan accepts. Spec: docs/events.md */
export type PlanEvent =
  | ConversationEvent
  /** Data learnt or work done by an agent with its own tools, outside the turns of the machine. */
  | PlanUpdate;

/** All parts are applied to the current state, in this order; then its transitions are tried once. */
export interface PlanUpdate {
  readonly type: 'plan.update';
  /** Values by key; null withdraws a value. */
  readonly deliverables?: Readonly<Record<string, Json>>;
  /** Keys among these that were mentioned only in passing. */
  readonly unconfirmed?: readonly string[];
  /** Ids of tasks that are done. */
  readonly complete?: readonly string[];
  /** Ids of tasks to skip. */
  readonly skip?: readonly string[];
  /** Skips the rest of the state. */
  readonly skipState?: boolean;
  /** The values correct earlier ones: decisions based on the earlier values are made again. */
  readonly correct?: boolean;
  /** The agent says nothing when the update leads to another question. */
  readonly silent?: boolean;
  readonly reasoning?: string;
}

/** Events that a conversation with a plan emits. Spec: docs/events.md */
export type PlanEmitted =
  | ConversationEmitted
  | StateEntered
  | Event<'task.completed' | 'task.skipped', { task: string; state: string }>
  /** An agent is called for a task, or has failed. */
  | Event<
      'task.started' | 'task.failed',
      { task: string; state: string; agent: string; because?: string }
    >
  /** `volunteered`: the value was said before its turn. */
  | Event<'deliverable.collected', { discovered?: true; volunteered?: true } & RecordedValue>
  /** A value was said before its turn, and is kept until then. */
  | Event<'deliverable.volunteered', RecordedValue>
  /** A value is no longer known. */
  | Event<'deliverable.withdrawn', { deliverable: string; state: string }>
  | (TurnFailed & { readonly port: string })
  | Event<'conversation.ended', PlanOutput>;

interface RecordedValue {
  readonly deliverable: string;
  readonly value: Json;
  readonly state: string;
  /** The value it replaces. */
  readonly previous?: Json;
  readonly unconfirmed?: true;
  /** For a value said before its turn: the number of the message in the conversation. */
  readonly message?: number;
  readonly reasoning?: string;
}

/** The output of the actor. */
export type PlanOutput = ConversationOutput & {
  /** `completed`, `cancelled`, `ended_by_agent`, or an outcome of the author. */
  readonly outcome: string;
  readonly deliverables: Readonly<Record<string, Json>>;
  /** Values whose turn never came. Absent when there are none. */
  readonly volunteered?: Readonly<Record<string, Json>>;
};

/** The actor's input. */
export type PlanInput = ConversationInput & {
  /** Answers to the fields of `session_context`, by id. */
  readonly session?: Readonly<Record<string, Json>>;
};
