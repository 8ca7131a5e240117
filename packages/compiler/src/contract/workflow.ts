import type { Json, JsonObject } from '../json.ts';

/** The contract of every workflow format with a host, the command, the workbench and the inspector. See docs/contract.md. */

export type WorkflowInput = {
  /** The data; an empty object when left out. */
  readonly input?: Json;
  /** The run's id; part of every idempotency key. */
  readonly id?: string;
  /** Facts about the run, such as who asked for it: `{ Execution: { Requestor: 'ada' } }`. */
  readonly context?: { readonly Execution?: JsonObject };
};

/** Events that every workflow accepts. */
export type WorkflowEvent =
  /** Completes the task that has the token. */
  | { readonly type: 'task.succeeded'; readonly token: string; readonly output: Json }
  /** Fails the task that has the token. */
  | {
      readonly type: 'task.failed';
      readonly token: string;
      readonly error?: string;
      readonly cause?: string;
    }
  /** Reports that the work continues. */
  | { readonly type: 'task.heartbeat'; readonly token: string };

/** The state of an event. `place` has the indexes of the enclosing items when the state runs once for each item. */
export type InState = { readonly state: string; readonly place?: readonly number[] };

/** Events that consumers act on or show. A format adds its own, and need not emit those that are only shown. */
export type WorkflowEmitted =
  | StateEntered
  | StateExited
  | TaskScheduled
  | TaskAccepted
  | TaskRetried
  | StateFailed
  | ErrorCaught
  | DecisionRequested
  | DecisionRefused
  | WorkflowEnded;

/** `kind` is the format's word for the kind of state. */
export type StateEntered = { readonly type: 'state.entered'; readonly kind?: string } & InState;

/** Only shown. */
export type StateExited = { readonly type: 'state.exited'; readonly output: Json } & InState;

/** A task waits for `task.succeeded` or `task.failed` with its token. */
export type TaskScheduled = {
  readonly type: 'task.scheduled';
  readonly token: string;
  readonly resource: string;
  readonly input: Json;
} & InState;

/** Confirms that a task with the event's token has taken the event. Without it, the event is refused. */
export type TaskAccepted = {
  readonly type: 'task.accepted';
  /** The type of the event. */
  readonly event: string;
  readonly token: string;
} & InState;

/** Only shown. */
export type TaskRetried = {
  readonly type: 'task.retried';
  readonly error: string | null;
  readonly cause: string | null;
  /** Milliseconds until the retry. */
  readonly after: number;
} & InState;

/** Only shown. A state has failed by itself, and neither retries nor catches its error. */
export type StateFailed = {
  readonly type: 'state.failed';
  readonly error: string | null;
  readonly cause: string | null;
} & InState;

/** Only shown. A state has caught its own error, or one of a state inside of it. */
export type ErrorCaught = {
  readonly type: 'error.caught';
  readonly error: string | null;
  readonly cause: string | null;
  /** The index of the catcher. */
  readonly catcher: number;
  /** The state that comes next. */
  readonly next: string;
} & InState;

/** A person has to decide. */
export type DecisionRequested = {
  readonly type: 'decision.requested';
  readonly id: string;
  readonly prompt: string;
  readonly options: readonly string[];
} & InState;

/** A decision is invalid. */
export type DecisionRefused = {
  readonly type: 'decision.refused';
  readonly id: string;
  readonly decision: string;
  readonly because: string;
} & InState;

/** The last event. Its fields are the output of the actor. */
export type WorkflowEnded = { readonly type: 'workflow.ended' } & WorkflowOutput;

export type WorkflowOutput =
  | { readonly status: 'succeeded'; readonly output: Json }
  | {
      readonly status: 'failed' | 'timedOut';
      readonly error: string | null;
      readonly cause: string | null;
    };
