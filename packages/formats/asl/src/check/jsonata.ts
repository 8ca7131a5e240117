import { isRecord, type Path } from '@dramaturg/compiler';
import { isExpression } from '../definition/field.ts';
import type { State } from '../definition/index.ts';
import {
  badExpression,
  conditionNotExpression,
  notEvaluated,
  openExpression,
} from '../diagnostics/expressions.ts';
import { authoredPart, partsOf } from '../authored.ts';
import { statesOf } from '../walk.ts';
import { expressionFault } from '../data/jsonata/index.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * In a JSONata state, a text between `{%` and `%}` is an expression that can be read.
 * Spec: states-language.net/spec.html#jsonata-strings
 */
export const expressionsAreWellFormed: WorkflowRule = ({ definition, report }) => {
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

/** The condition of a rule is an expression, or true or false. Spec: states-language.net/spec.html#choice-state */
export const conditionsAreExpressions: WorkflowRule = ({ definition, report }) => {
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

/** Fields of a state whose texts are no expressions: names, words for people, and machines with states of their own. */
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
