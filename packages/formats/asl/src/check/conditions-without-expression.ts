import { authoredPart, partsOf } from '../authored.ts';
import { isExpression } from '../definition/field.ts';
import { conditionNotExpression } from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports conditions written as ordinary text. Spec: states-language.net/spec.html#choice-state */
export const conditionsWithoutExpression: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage !== 'JSONata') continue;
    for (const { value, at } of partsOf(authoredPart(state), 'Choices')) {
      const { Condition: condition } = value;
      if (typeof condition === 'string' && !isExpression(condition)) {
        report(conditionNotExpression(), [...at, 'Condition']);
      }
    }
  }
};
