import type { Path } from '@dramaturg/compiler';
import { reservedIds } from '../definition.ts';
import { duplicateState, reservedId } from '../diagnostics/states.ts';
import type { PlanRule } from './rule.ts';

/** Reports state ids that are used twice or reserved. */
export const duplicateStates: PlanRule = ({ definition, report }) => {
  const first = new Map<string, Path>();
  for (const { id, at } of definition.states) {
    if (id === '') continue; // The shape check reports a missing id.
    const path = [...at, 'id'];
    const earlier = first.get(id);
    if (earlier)
      report(duplicateState(id), path, {
        related: [{ path: earlier, message: 'First declared here.' }],
      });
    else first.set(id, path);
    if (reservedIds.includes(id)) report(reservedId('id of a state', id), path);
  }
};
