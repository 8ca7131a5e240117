import type { Json } from '@dramaturg/compiler';
import { comparisons } from '../definition/choice-rule.ts';
import type { Choice, ChoiceRule, Condition, StateBase } from '../definition/index.ts';
import { partOf, type Part } from '../authored.ts';
import { optionalJson, optionalObject, readObjects, optionalString } from './fields.ts';
import type { Reading } from './reading.ts';

export function readChoice(base: StateBase, authored: Part, reading: Reading): Choice {
  return {
    ...base,
    Type: 'Choice',
    Choices: readChoiceRules(authored, reading),
    Default: optionalString(authored.value['Default']),
  };
}

export function readChoiceRules(authored: Part, reading: Reading): ChoiceRule[] {
  return readObjects(authored, 'Choices', reading).map((rule) => {
    const { value: fields, at } = rule;
    return {
      condition: readCondition(rule, reading),
      Next: optionalString(fields['Next']) ?? '',
      Output: optionalJson(fields['Output']),
      Assign: optionalObject(fields['Assign']),
      at,
      authored: fields,
    };
  });
}

/** Undefined for a condition without a comparison, also in a nested condition. */
function readCondition(authored: Part, reading: Reading): Condition | undefined {
  const { value: fields, at } = authored;
  const expression = fields['Condition'];
  if (typeof expression === 'string' || typeof expression === 'boolean') {
    return { operator: 'Condition', expression, at };
  }
  for (const operator of ['And', 'Or'] as const) {
    if (!Array.isArray(fields[operator])) continue;
    const conditions = readObjects(authored, operator, reading).map((one) =>
      readCondition(one, reading),
    );
    return conditions.includes(undefined)
      ? undefined
      : { operator, conditions: conditions as Condition[], at };
  }
  const negated = partOf(authored, 'Not');
  if (negated) {
    const condition = readCondition(negated, reading);
    return condition && { operator: 'Not', condition, at };
  }
  const operator = Object.keys(fields).find((field) => Object.hasOwn(comparisons, field));
  const variable = optionalString(fields['Variable']) ?? optionalString(fields['Variable.$']);
  if (operator === undefined || variable === undefined) return undefined;
  return { operator, Variable: variable, operand: fields[operator] as Json, at };
}
