import { noFallback, noLimit } from '../diagnostics/budget.ts';
import { authoredPart, partOf } from '../authored.ts';
import type { WorkflowRule } from './rule.ts';

/** A budget that falls back has a fallback. Spec: Agent 7 §Fallback */
export const budgetsHaveAFallback: WorkflowRule = ({ definition, report }) => {
  const budget = partOf(authoredPart(definition), 'Budget');
  if (!budget || budget.value['OnExceed'] !== 'UseFallback') return;
  if (definition.Budget!.Fallbacks.length === 0) {
    report(noFallback(), [...budget.at, 'OnExceed'], { follows: [[...budget.at, 'Fallback']] });
  }
};

/** A budget has a limit. Spec: Agent 7 §Budget */
export const budgetsHaveALimit: WorkflowRule = ({ definition, report }) => {
  const budget = partOf(authoredPart(definition), 'Budget');
  if (!budget) return;
  const limits = ['MaxCost', 'MaxTokens', 'MaxDuration'];
  if (!limits.some((limit) => Object.hasOwn(budget.value, limit))) {
    const about = limits.map((limit) => [...budget.at, limit]);
    report(noLimit(), budget.at, { at: 'key', about, follows: about });
  }
};
