import { authoredPart, partOf } from '../authored.ts';
import { noLimit } from '../diagnostics/budget.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports budgets without a limit. Spec: Agent 7 §Budget */
export const budgetsWithoutLimit: WorkflowRule = ({ definition, report }) => {
  const budget = partOf(authoredPart(definition), 'Budget');
  if (!budget) return;
  const limits = ['MaxCost', 'MaxTokens', 'MaxDuration', 'MaxCostPerHour', 'MaxCostPerDay', 'Pool'];
  if (!limits.some((limit) => Object.hasOwn(budget.value, limit))) {
    const about = limits.map((limit) => [...budget.at, limit]);
    report(noLimit(), budget.at, { at: 'key', about, follows: about });
  }
};
