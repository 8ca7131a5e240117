import type { InstanceView } from '@dramaturg/host';

/** The current states of a conversation, in the words of its author. */
export function placeOf({ states, state }: Pick<InstanceView, 'states' | 'state'>): string {
  const names = states.map(wayTo);
  return names.filter((name) => name !== '').join(', ') || readable(state);
}

/** The names of the states around a state, and its own. */
export function wayTo({ path }: InstanceView['states'][number]): string {
  return path.map(({ state }) => state).join(' › ');
}

/** The name of a state of a lifecycle, such as `WAITING_FOR_REPLY`, for people. */
export function readable(state: string): string {
  return /^[A-Z0-9_]+$/.test(state) ? state.toLowerCase().replaceAll('_', ' ') : state;
}
