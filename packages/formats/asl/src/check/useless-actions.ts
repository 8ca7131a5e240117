import { uselessAction } from '../diagnostics/guardrails.ts';
import { guardrailRules } from './guardrail-rules.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports actions that their guardrail cannot take: only rules that find places in a string can redact, and only the
 * output can be retried. Spec: Agent 5 §Actions
 */
export const uselessActions: WorkflowRule = ({ definition, report }) => {
  for (const { rule, side } of guardrailRules(definition)) {
    const { Action: action, Type: type } = rule.value;
    const cleans = action === 'redact' || action === 'mask';
    const hasPlaces = type === 'pattern' || type === 'regex' || type === 'pii';
    if (typeof type !== 'string') continue; // The shape check asks for it.
    if ((cleans && !hasPlaces) || (action === 'retry' && side === 'Input')) {
      const follows = [[...rule.at, 'Type']];
      report(uselessAction(action, type), [...rule.at, 'Action'], { follows });
    }
  }
};
