import type { EventObject } from '../link/behaviour.ts';
import type { StateFailed } from './workflow.ts';

/**
 * The failure that stands after an event of a workflow: `state.failed`, until a state around it catches the error or tries again.
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

/** The failure with which a run has ended, if its output is not that of another one, such as the timeout of the workflow. */
export function failureOfOutput(
  standing: StateFailed | undefined,
  output: unknown,
): StateFailed | undefined {
  const { status, error } = Object(output) as Record<string, unknown>;
  const hasFailed = status === 'failed' || status === 'timedOut';
  return hasFailed && standing?.error === error ? standing : undefined;
}
