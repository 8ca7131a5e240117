import type { Json } from '@dramaturg/compiler';

/** Events a conversation that follows a plan accepts. Spec: docs/events.md */
export type PlanEvent =
  /** A line of the person. One that comes while another is being answered waits its turn. */
  | { readonly type: 'message.received'; readonly text: string }
  /** Makes the failed call of a turn again, and the turn goes on. Without a failed turn it has no effect. */
  | { readonly type: 'turn.retry' }
  /** What an agent with tools of its own has learnt or done, outside the turns that the machine itself drives. */
  | PlanUpdate
  /** Ends the conversation at once. */
  | { readonly type: 'cancel'; readonly reason?: string };

/** All parts are applied to the current state, in this order; then its transitions are tried once. */
export interface PlanUpdate {
  readonly type: 'plan.update';
  /** Values by key. */
  readonly deliverables?: Readonly<Record<string, Json>>;
  /** Keys among these that were mentioned only in passing. */
  readonly unconfirmed?: readonly string[];
  /** Ids of tasks that are done. */
  readonly complete?: readonly string[];
  /** Ids of tasks to be left out. */
  readonly skip?: readonly string[];
  /** Leave out what is left of the state. */
  readonly skipState?: boolean;
  readonly reasoning?: string;
}

/** Events it emits. Spec: docs/events.md */
export type PlanEmitted =
  | {
      readonly type: 'message.sent';
      readonly text: string;
      readonly key: string;
      readonly state: string;
    }
  | { readonly type: 'message.refused'; readonly because: string }
  | {
      readonly type: 'state.entered';
      readonly state: string;
      readonly title: string;
      readonly from?: string;
    }
  | {
      readonly type: 'task.completed' | 'task.skipped';
      readonly task: string;
      readonly state: string;
    }
  | {
      readonly type: 'deliverable.collected';
      readonly deliverable: string;
      readonly value: Json;
      readonly state: string;
      /** The value it replaces. */
      readonly previous?: Json;
      readonly unconfirmed?: true;
      readonly discovered?: true;
      readonly reasoning?: string;
    }
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
      readonly port: string;
      readonly code: string;
      readonly message: string;
      /** The person's message that is being answered: it is kept. */
      readonly unanswered?: string;
    }
  | ({ readonly type: 'conversation.ended' } & PlanOutput);

/** What a conversation leaves behind. */
export type PlanOutput = {
  readonly outcome: 'completed' | 'cancelled';
  /** The last state it was in. */
  readonly state: string;
  /** Why the agent has ended it, if it did and said so. */
  readonly reason?: string;
  readonly deliverables: Readonly<Record<string, Json>>;
};

/** The actor's input. */
export interface PlanInput {
  /** The conversation's id; part of every idempotency key. */
  readonly conversation?: string;
  /** Answers to the fields of `session_context`, by id. */
  readonly session?: Readonly<Record<string, Json>>;
  /** Who has the first word; what the plan says when left out. */
  readonly opening?: 'agent' | 'person';
}
