import { authoredPart, partOf } from '../authored.ts';
import { missingField } from '../diagnostics/fields.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports context strategies that miss a field they need. Spec: Agent 3 §Context */
export const incompleteContextStrategies: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    const context = state.Type === 'Task' ? partOf(authoredPart(state), 'Context') : undefined;
    if (!context) continue;
    const has = (field: string) => Object.hasOwn(context.value, field);
    const strategy = context.value['Strategy'];
    const owner = `The strategy "${strategy as string}"`;
    if (strategy === 'priority_based' && !has('Priority')) {
      report(missingField(owner, ['Priority']), context.at);
    }
    if (strategy === 'semantic') {
      if (!has('Query') && !has('Query.$')) report(missingField(owner, ['Query']), context.at);
      if (!has('Candidates')) report(missingField(owner, ['Candidates']), context.at);
    }
    const summarize = partOf(context, 'Summarize');
    if (strategy === 'summarize' && !summarize) {
      report(missingField(owner, ['Summarize']), context.at);
    }
    if (summarize && summarize.value['When'] !== 'Never' && !('Using' in summarize.value)) {
      report(missingField('"Summarize"', ['Using']), summarize.at);
    }
  }
};
