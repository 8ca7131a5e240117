import { emptyList } from '../diagnostics/structure.ts';
import { statesOf } from '../walk.ts';
import { recoveries } from './recoveries.ts';
import { atMostOne, type WorkflowRule } from './rule.ts';

/** Reports retriers and catchers that list no errors. Spec: states-language.net/spec.html#errors */
export const entriesWithoutErrors: WorkflowRule = ({ definition, report }) => {
  for (const { field, list } of statesOf(definition).flatMap(recoveries)) {
    for (const { value, at } of list) {
      const names = value['ErrorEquals'];
      if (Array.isArray(names) && names.length === 0) {
        report(emptyList('ErrorEquals'), [...at, 'ErrorEquals']);
      }
      if (field === 'Retry') {
        atMostOne({ value, at }, ['MaxDelaySeconds', 'MaxIntervalSeconds'], report);
      }
    }
  }
};
