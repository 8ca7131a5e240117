import type { EventObject } from '@dramaturg/compiler';
import type { HostEvent } from './event.ts';

/** Events from outside for one task of a workflow, by its token. */
const taskEvents: ReadonlySet<string> = new Set([
  'task.succeeded',
  'task.failed',
  'task.heartbeat',
]);

/**
 * The refusal of an event when no task has its token. A task that accepts an event emits `task.accepted`; an event without a task
 * changes nothing.
 *
 * @param emitted the events of the step
 */
export function refusalOfToken(
  { type, token }: EventObject,
  emitted: readonly HostEvent[],
): { readonly code: string; readonly because: string } | undefined {
  if (!taskEvents.has(type) || emitted.length > 0) return undefined;
  const because =
    typeof token === 'string'
      ? `No task waits with the token ${JSON.stringify(token)}. It was used before, its task has ended, or it is wrong.`
      : `The event "${type}" needs the "token" of a task.`;
  return { code: 'task/unknown-token', because };
}
