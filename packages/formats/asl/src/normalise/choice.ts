import { type Json } from '@dramaturg/compiler';
import { comparisons } from '../definition/choice.ts';
import type { Choice, ChoiceRule, Condition, StateBase } from '../definition/index.ts';
import { jsonOf, objectOf, partOf, type Placed, type Reading, records, textOf } from './fields.ts';

export function readChoice(base: StateBase, placed: Placed, reading: Reading): Choice {
  return {
    ...base,
    Type: 'Choice',
    Choices: readChoiceRules(placed, reading),
    Default: textOf(placed.value['Default']),
  };
}

export function readChoiceRules(placed: Placed, reading: Reading): ChoiceRule[] {
  return records(placed, 'Choices', reading).map((rule) => {
    const { value: fields, at } = rule;
    return {
      condition: readCondition(rule, reading),
      Next: textOf(fields['Next']) ?? '',
      Output: jsonOf(fields['Output']),
      Assign: objectOf(fields['Assign']),
      at,
      authored: fields,
    };
  });
}

/** Undefined for a condition that says nothing, or that holds one which says nothing. */
function readCondition(placed: Placed, reading: Reading): Condition | undefined {
  const { value: fields, at } = placed;
  const expression = fields['Condition'];
  if (typeof expression === 'string' || typeof expression === 'boolean') {
    return { operator: 'Condition', expression, at };
  }
  for (const operator of ['And', 'Or'] as const) {
    if (!Array.isArray(fields[operator])) continue;
    const conditions = records(placed, operator, reading).map((one) => readCondition(one, reading));
    return conditions.includes(undefined)
      ? undefined
      : { operator, conditions: conditions as Condition[], at };
  }
  const negated = partOf(placed, 'Not');
  if (negated) {
    const condition = readCondition(negated, reading);
    return condition && { operator: 'Not', condition, at };
  }
  const operator = Object.keys(fields).find((field) => Object.hasOwn(comparisons, field));
  const variable = textOf(fields['Variable']) ?? textOf(fields['Variable.$']);
  if (operator === undefined || variable === undefined) return undefined;
  return { operator, Variable: variable, operand: fields[operator] as Json, at };
}
