import { endlessStay } from '../diagnostics/rows.ts';
import type { LifecycleRule } from './rule.ts';

/** Reports rows without an event that stay in their state, except those that start a turn while none runs. */
export const endlessStays: LifecycleRule = ({ definition, report }) => {
  for (const { event, from, to, guard, actions, at } of definition.rows) {
    if (event !== undefined) continue;
    const leaves =
      to?.kind === 'previous' ||
      (to && !(from.kind === 'states' && from.states.some(({ name }) => name === to.name)));
    const startsTurn =
      guard?.kind === 'word' &&
      guard.word === 'no_turn' &&
      actions.some(({ word }) => word === 'start_turn');
    if (leaves || (startsTurn && !to)) continue;
    const parts = ['from', 'event', 'to', 'guard', 'actions'];
    report(endlessStay(), at, { follows: parts.map((part) => [...at, part]) });
  }
};
