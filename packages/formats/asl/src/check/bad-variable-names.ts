import { badVariableName } from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import { assignmentsOf } from './assignments.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports variable names that expressions cannot use. Spec: states-language.net/spec.html#variables */
export const badVariableNames: WorkflowRule = ({ definition, report }) => {
  for (const { name, at } of statesOf(definition).flatMap(assignmentsOf)) {
    const isFit = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name) && name.length <= 80;
    if (!isFit || name === 'states') report(badVariableName(name), at, { at: 'key' });
  }
};
