import type { Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { expressionFault, sourceOf } from '../data/jsonata/index.ts';
import { isExpression } from '../definition/field.ts';
import {
  badExpression,
  notEvaluated,
  openExpression,
  unknownJsonataFunction,
} from '../diagnostics/expressions.ts';
import { calledFunctions, jsonataFunctions } from '../data/jsonata/references.ts';
import { statesOf } from '../walk.ts';
import { textsOf } from './jsonata-texts.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports strings of JSONata states that look like expressions and cannot be read, and calls of functions that do not
 * exist.
 * Spec: states-language.net/spec.html#jsonata-strings
 */
export const malformedExpressions: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage !== 'JSONata') continue;
    for (const { text, at } of textsOf(state)) {
      if (isExpression(text)) {
        const fault = expressionFault(text);
        if (fault === undefined) reportUnknownFunctions(text, at, report);
        else report(badExpression(fault, text), at);
      } else if (text.startsWith('{%')) report(openExpression('%}'), at);
      else if (text.endsWith('%}')) report(openExpression('{%'), at);
      else if (String(at.at(-1)).endsWith('.$'))
        report(notEvaluated('The ".$" of this key', 'JSONata'), at, { at: 'key' });
    }
  }
};

function reportUnknownFunctions(expression: string, at: Path, report: Report): void {
  for (const name of calledFunctions(sourceOf(expression))) {
    if (!jsonataFunctions.includes(name))
      report(unknownJsonataFunction(name, jsonataFunctions), at);
  }
}
