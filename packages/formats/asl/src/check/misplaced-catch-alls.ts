import { misplacedAll } from '../diagnostics/retry.ts';
import { statesOf } from '../walk.ts';
import { recoveries } from './recoveries.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports `States.ALL` with other names in one entry, or before the last entry.
 * Spec: Agent 8, states-language.net/spec.html#retrying-after-error
 */
export const misplacedCatchAlls: WorkflowRule = ({ definition, report }) => {
  for (const { list } of statesOf(definition).flatMap(recoveries)) {
    list.forEach((one, index) => {
      const names = one.value['ErrorEquals'];
      if (!Array.isArray(names)) return;
      const place = names.indexOf('States.ALL');
      if (place === -1) return;
      const isAlone = names.length === 1;
      if (isAlone && index === list.length - 1) return;
      report(misplacedAll('States.ALL', isAlone), [...one.at, 'ErrorEquals', place]);
    });
  }
};
