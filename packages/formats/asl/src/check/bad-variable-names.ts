import { authoredPart, type Part, partOf, partsOf } from '../authored.ts';
import type { Workflow } from '../definition/index.ts';
import { badVariableName } from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports variable names that expressions cannot use. Spec: states-language.net/spec.html#variables */
export const badVariableNames: WorkflowRule = ({ definition, report }) => {
  for (const { at, value, isPath } of assignmentsOf(definition)) {
    for (const key of Object.keys(value)) {
      const name = isPath && key.endsWith('.$') ? key.slice(0, -2) : key;
      const isFit = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name) && name.length <= 80;
      if (!isFit || name === 'states') report(badVariableName(name), [...at, key], { at: 'key' });
    }
  }
};

function* assignmentsOf(workflow: Workflow): Generator<Part & { isPath: boolean }> {
  for (const state of statesOf(workflow)) {
    const part = authoredPart(state);
    for (const owner of [part, ...partsOf(part, 'Catch'), ...partsOf(part, 'Choices')]) {
      const assign = partOf(owner, 'Assign');
      if (assign) yield { ...assign, isPath: state.QueryLanguage === 'JSONPath' };
    }
  }
}
