import { authoredPart, partOf } from '../authored.ts';
import { noFallback } from '../diagnostics/budget.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports budgets that use a fallback and have none. Spec: Agent 7 §Fallback */
export const budgetsWithoutFallback: WorkflowRule = ({ definition, report }) => {
  const budget = partOf(authoredPart(definition), 'Budget');
  if (!budget || budget.value['OnExceed'] !== 'UseFallback') return;
  if (definition.Budget!.Fallbacks.length === 0) {
    report(noFallback(), [...budget.at, 'OnExceed'], { follows: [[...budget.at, 'Fallback']] });
  }
};
