import type { Pattern } from '@dramaturg/compiler/format';

/** Where a state says which states it leads to. */
export const exitFields = ['exit_conditions', 'next_state', 'on_complete'] as const;

/** Where a graph says which state leads to which. */
export const wiring: readonly Pattern[] = [
  ['new_user_initial_state'],
  ['returning_user_initial_state'],
  ['references'],
  ...['name', 'type', ...exitFields].map((field) => ['states', '*', field]),
];
