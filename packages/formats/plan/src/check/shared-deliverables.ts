import { conflictingTypes, duplicateKey, sharedKey } from '../diagnostics/tasks.ts';
import { declarations, deliverablesOf } from '../declarations.ts';
import { whatItIs } from '../value.ts';
import type { PlanRule } from './rule.ts';

/** Reports keys that are declared twice: within a task this is a mistake, elsewhere it is one shared value. */
export const sharedDeliverables: PlanRule = ({ definition, report }) => {
  const first = declarations(definition);
  for (const { deliverable, task, state } of definition.states.flatMap(deliverablesOf)) {
    const { key, at } = deliverable;
    const original = first.get(key);
    if (!original || original.deliverable === deliverable || key === '') continue;
    const related = [{ path: original.deliverable.at, message: 'First declared here.' }];
    if (original.state === state && original.task === task) {
      report(duplicateKey(key), at, { related });
    } else if (whatItIs(original.deliverable) !== whatItIs(deliverable)) {
      report(conflictingTypes(key, whatItIs(deliverable), whatItIs(original.deliverable)), at, {
        related,
        follows: [at, original.deliverable.at],
      });
    } else if (original.state !== state) {
      report(sharedKey(key, 'state', original.state.id), at, { related });
    } else if (original.task) {
      report(sharedKey(key, 'task', original.task.id), at, { related });
    }
  }
};
