import type { Action, World } from '@dramaturg/compiler';
import type { WorkflowContext } from '../context.ts';

/**
 * A token is what completes a task from outside. It begins with the indexes of the items within which the task is done,
 * so that an event finds its way to the task's actor; the rest cannot be guessed. `0.12.6f9619ff-...`
 */
export function makeToken({ place }: WorkflowContext, world: World): string {
  return [...place, world.uuid()].join('.');
}

/** Hands an event on to the actor of the item that its token names, if it is for an item of this Map at all. */
export const forwardToItem: Action<
  WorkflowContext,
  { type: string; token?: unknown },
  { to: string }
> = ({ context, event }, { to }) => {
  const parts = typeof event.token === 'string' ? event.token.split('.') : [];
  const { length } = context.place;
  if (parts.length < length + 2) return {};
  const index = Number(parts[length]);
  return { send: [{ to, event: { type: 'each.forward', index, event } }] };
};
