import type { InstanceView } from '@dramaturg/host';

/** The states in which a conversation rests, in the words of its author. */
export function placeOf({ states, state }: Pick<InstanceView, 'states' | 'state'>): string {
  const names = states.map(({ path }) => path.map((step) => step.state).join(' › '));
  return names.filter((name) => name !== '').join(', ') || state;
}
