import type { InstanceView } from '@dramaturg/host';

/** The current states of a conversation, in the words of its author. */
export function placeOf({ states, state }: Pick<InstanceView, 'states' | 'state'>): string {
  const names = states.map(({ path }) => path.map((step) => step.state).join(' › '));
  return names.filter((name) => name !== '').join(', ') || readable(state);
}

/** The name of a state of a lifecycle, such as `WAITING_FOR_REPLY`, for people. */
export function readable(state: string): string {
  return /^[A-Z0-9_]+$/.test(state) ? state.toLowerCase().replaceAll('_', ' ') : state;
}
