import type { EventObject } from '../link/behaviour.ts';
import type { StateFailed } from './workflow.ts';

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
