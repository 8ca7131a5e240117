import { requiredInOptional } from '../diagnostics/tasks.ts';
import { deliverablesOf } from '../declarations.ts';
import type { PlanRule } from './rule.ts';

/** Reports required deliverables in optional tasks. */
export const requiredInOptionalTasks: PlanRule = ({ definition, options, report }) => {
  if (options.completion === 'all') return;
  for (const { deliverable, task } of definition.states.flatMap(deliverablesOf)) {
    if (task && !task.required && deliverable.required) {
      report(requiredInOptional(deliverable.key, task.id), deliverable.at, {
        follows: [deliverable.at, [...task.at, 'required']],
      });
    }
  }
};
