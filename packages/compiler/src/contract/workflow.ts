import type { Json, JsonObject } from '../json.ts';
import type { EventObject } from '../link/behaviour.ts';

/** Tags of nodes: consumers read them from a snapshot. Explained in docs/contract.md. */

/** The machine waits for the person. */
export const waitingTag = 'waiting';

/** The actor may stay here until an event comes from outside, so it is not a dead end. */
export const restingTag = 'resting';

/** The last call failed, and `turn.retry` makes it again. Comes with `waiting`. */
export const failedTag = 'failed';

/** Drawings leave the node out. */
export const hiddenTag = 'hidden-in-drawings';

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

/**
 * The current failure after an event of a workflow: set by `state.failed`, until an enclosing state catches the error or retries.
 *
 * @param before the failure before the event
 */
export function standingFailure(
  before: StateFailed | undefined,
  event: EventObject,
): StateFailed | undefined {
  if (event.type === 'state.failed') return event as unknown as StateFailed;
  const isHandled = event.type === 'error.caught' || event.type === 'task.retried';
  return isHandled && event['error'] === before?.error ? undefined : before;
}

/** The failure with which a run ended, unless its output has another failure, such as the timeout of the workflow. */
export function failureOfOutput(
  standing: StateFailed | undefined,
  output: unknown,
): StateFailed | undefined {
  const { status, error } = Object(output) as Record<string, unknown>;
  const hasFailed = status === 'failed' || status === 'timedOut';
  return hasFailed && standing?.error === error ? standing : undefined;
}

/** Words a failed state, or an error that was caught, for people; undefined for other events. */
export function failureSentence(event: EventObject): string | undefined {
  if (event.type !== 'state.failed' && event.type !== 'error.caught') return undefined;
  const { state, place, error, cause, next } = event as unknown as ErrorCaught;
  const words = [error, cause].filter((part) => typeof part === 'string').join(': ');
  const where = place ? `${state} [${place.join('.')}]` : state;
  return event.type === 'state.failed'
    ? `${where} failed: ${words}`
    : `${where} catches ${words}, and ${next} follows`;
}
