import type { EventObject } from '../link/behaviour.ts';
import type { ErrorCaught, StateFailed } from './workflow.ts';

/** Tags of nodes: consumers read them from a snapshot. Explained in docs/contract.md. */

/** The machine waits for the person. */
export const waitingTag = 'waiting';

/** The actor may stay here until an event comes from outside, so it is not a dead end. */
export const restingTag = 'resting';

/** The last call failed, and `turn.retry` makes it again. Comes with `waiting`. */
export const failedTag = 'failed';

/** Drawings leave the node out. */
export const hiddenTag = 'hidden-in-drawings';

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
