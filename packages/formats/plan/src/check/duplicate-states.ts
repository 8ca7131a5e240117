import { type Path } from '@dramaturg/compiler';
import { reservedIds } from '../definition.ts';
import { duplicateState, reservedId } from '../diagnostics/states.ts';
import type { PlanRule } from './rule.ts';

/** State ids are unique in the plan and no words of the format. */
export const duplicateStates: PlanRule = ({ definition, report }) => {
  const first = new Map<string, Path>();
  for (const { id, at } of definition.states) {
    if (id === '') continue; // The shape check asks for it.
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
