import { emptyList } from '../diagnostics/structure.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** There are branches to run. Spec: Agent 2 §Parallel State, states-language.net/spec.html#parallel-state */
export const branchesAreThere: WorkflowRule = ({ definition, report }) => {
  for (const { Type: type, authored, at } of statesOf(definition)) {
    const { Branches: branches } = authored;
    if (type === 'Parallel' && Array.isArray(branches) && branches.length === 0) {
      report(emptyList('Branches'), [...at, 'Branches']);
    }
  }
};
