import type { Action } from '@dramaturg/compiler/format';
import type { World } from '@dramaturg/compiler/machine';
import type { WorkflowContext } from '../context.ts';

/**
 * A token completes a task from outside. It begins with the indexes of the items around the task, so that an event
 * reaches the actor of the task. The rest is random: `0.12.6f9619ff-...`
 */
export function createToken({ place }: WorkflowContext, world: World): string {
  return [...place, world.uuid()].join('.');
}

/** Forwards an event to the actor of the item that its token names, if it is an item of this Map. */
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
