import type { Path } from '@dramaturg/compiler';
import { reservedIds } from '../definition.ts';
import { reservedId } from '../diagnostics/states.ts';
import { duplicateTask, sharedTaskId } from '../diagnostics/tasks.ts';
import type { PlanRule } from './rule.ts';

/** Reports task ids that are reserved or used twice: in one state an error, in two states a note. Spec: docs/formats/plan.md#tasks */
export const duplicateTasks: PlanRule = ({ definition, report }) => {
  const elsewhere = new Map<string, string>();
  const reported = new Set<string>();
  for (const state of definition.states) {
    const first = new Map<string, Path>();
    for (const { id, at } of state.tasks) {
      if (id === '') continue; // The shape check reports a missing id.
      const path = [...at, 'id'];
      const earlier = first.get(id);
      const other = elsewhere.get(id);
      if (earlier) {
        report(duplicateTask(id, state.id), path, {
          related: [{ path: earlier, message: 'First declared here.' }],
        });
      } else if (other !== undefined && !reported.has(id)) {
        reported.add(id);
        report(sharedTaskId(id, other), path);
      }
      first.set(id, earlier ?? path);
      if (reservedIds.includes(id)) report(reservedId('id of a task', id), path);
    }
    for (const { id } of state.tasks) if (!elsewhere.has(id)) elsewhere.set(id, state.id);
  }
};
