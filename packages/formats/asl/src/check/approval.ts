import type { Approval, Workflow } from '../definition/index.ts';
import { mergedDecision, unknownOption } from '../diagnostics/approval.ts';
import { authoredPart, conditionsOf, partsOf, statesOf } from '../walk.ts';
import { exactlyOne, type WorkflowRule } from './rule.ts';
import { emptyList } from '../diagnostics/structure.ts';

/** The person is asked something, and has something to answer. Spec: Agent 2 §Approval State */
export const approvalsAsk: WorkflowRule = ({ definition, report }) => {
  for (const approval of approvalsOf(definition)) {
    exactlyOne('An Approval state', authoredPart(approval), ['Prompt', 'Prompt.$'], report);
    const { Options: options } = approval.authored;
    if (Array.isArray(options) && options.length === 0) {
      report(emptyList('Options'), [...approval.at, 'Options']);
    }
  }
};

/** A choice waits for a decision that can be made. Spec: Agent 6 */
export const decisionsArePossible: WorkflowRule = ({ definition, report }) => {
  for (const approval of approvalsOf(definition)) {
    const known = approval.Options;
    for (const { value, at } of partsOf(authoredPart(approval), 'Choices').flatMap(conditionsOf)) {
      const { Variable: variable, StringEquals: option } = value;
      if (
        typeof variable !== 'string' ||
        !variable.endsWith('.approval') ||
        typeof option !== 'string'
      )
        continue;
      if (!known.includes(option)) report(unknownOption(option, known), [...at, 'StringEquals']);
    }
  }
};

/**
 * Chapter 6 reads both the decision and the input behind an Approval without a `ResultPath`, which the default of other
 * states would replace. So the decision is added to the input, and said to be. Spec: Agent 6
 */
export const decisionsHaveAPlace: WorkflowRule = ({ definition, report }) => {
  for (const { name, ResultPath: place, at } of approvalsOf(definition)) {
    if (place === undefined) report(mergedDecision(name), at, { at: 'key' });
  }
};

function approvalsOf(workflow: Workflow): Approval[] {
  return statesOf(workflow).filter((state) => state.Type === 'Approval');
}
