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
function failureSentence(event: EventObject): string | undefined {
  if (event.type !== 'state.failed' && event.type !== 'error.caught') return undefined;
  const { state, place, error, cause, next } = event as unknown as ErrorCaught;
  const words = [error, cause].filter((part) => typeof part === 'string').join(': ');
  const where = place ? `${state} [${place.join('.')}]` : state;
  return event.type === 'state.failed'
    ? `${where} failed: ${words}`
    : `${where} catches ${words}, and ${next} follows`;
}

/** How often each error came in each state of items. */
export type ItemFailures = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** The most failures of a state of items that have a line each, and the most names of errors that are counted apart. */
const [linesMax, namesMax] = [3, 20];
const otherErrors = 'other errors';
const endsItems = /^(?:state\.(?:entered|exited|failed)|error\.caught|workflow\.ended)$/;

/**
 * The lines for people of an event of a workflow: a failed state or a caught error. A state that runs for each of many items has lines for its
 * first failures, and one line for all others, which comes with the next event that is not of an item.
 *
 * @param before the counts of the event before
 */
export function failureLines(
  before: ItemFailures | undefined,
  event: EventObject,
): { readonly lines: readonly string[]; readonly items: ItemFailures | undefined } {
  const sentence = failureSentence(event);
  const lines = sentence === undefined ? [] : [sentence];
  const { state, place, error } = event as unknown as ErrorCaught;
  if (place === undefined)
    return endsItems.test(event.type)
      ? { lines: [...furtherFailures(before), ...lines], items: undefined }
      : { lines, items: before };
  if (sentence === undefined) return { lines, items: before };
  const known = (before && Object.hasOwn(before, state) && before[state]) || {};
  const caught = error ?? 'no name';
  const isNamed = Object.hasOwn(known, caught) || Object.keys(known).length < namesMax;
  const name = isNamed ? caught : otherErrors;
  const counts = { ...known, [name]: (Object.hasOwn(known, name) ? known[name]! : 0) + 1 };
  return { lines: sumOf(counts) > linesMax ? [] : lines, items: { ...before, [state]: counts } };
}

/** The lines of failures of items that have no line of their own. */
export function furtherFailures(items: ItemFailures = {}): readonly string[] {
  return Object.entries(items).flatMap(([state, counts]) => {
    const sum = sumOf(counts);
    const names = Object.entries(counts).map(([name, count]) => `${name} (${count})`);
    return sum > linesMax ? [`${state} has failed for ${sum} items: ${names.join(', ')}`] : [];
  });
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
