import { isRecord, type Path } from '@dramaturg/compiler';
import { expressionFault } from '../data/jsonata/index.ts';
import { isExpression } from '../definition/field.ts';
import type { State } from '../definition/index.ts';
import { badExpression, notEvaluated, openExpression } from '../diagnostics/expressions.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports texts of JSONata states that look like expressions and cannot be read.
 * Spec: states-language.net/spec.html#jsonata-strings
 */
export const malformedExpressions: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage !== 'JSONata') continue;
    for (const { text, at } of textsOf(state)) {
      if (isExpression(text)) {
        const fault = expressionFault(text);
        if (fault !== undefined) report(badExpression(fault, text), at);
      } else if (text.startsWith('{%')) report(openExpression('%}'), at);
      else if (text.endsWith('%}')) report(openExpression('{%'), at);
      else if (String(at.at(-1)).endsWith('.$'))
        report(notEvaluated('The ".$" of this key', 'JSONata'), at, { at: 'key' });
    }
  }
};

/** Fields of a state that hold no expressions: names, text for people, and machines with states of their own. */
const plainFields = new Set([
  'Type',
  'Comment',
  'QueryLanguage',
  'Resource',
  'Next',
  'Default',
  'Branches',
  'Iterator',
  'ItemProcessor',
]);

/** The texts of a state that may be expressions, at any depth. */
function* textsOf({ authored, at }: State): Generator<{ text: string; at: Path }> {
  const open: { value: unknown; at: Path }[] = Object.entries(authored)
    .filter(([field]) => !plainFields.has(field))
    .map(([field, value]) => ({ value, at: [...at, field] }));
  for (const { value, at: place } of open) {
    if (typeof value === 'string') yield { text: value, at: place };
    else if (Array.isArray(value)) {
      value.forEach((item, index) => open.push({ value: item, at: [...place, index] }));
    } else if (isRecord(value)) {
      for (const [key, child] of Object.entries(value)) {
        open.push({ value: child, at: [...place, key] });
      }
    }
  }
}
