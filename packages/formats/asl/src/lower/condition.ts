import type { Json } from '@dramaturg/compiler';
import type { ChartOperand } from '@dramaturg/compiler/chart';
import { operandTexts } from '../data/jsonata/index.ts';
import type { Condition } from '../definition/index.ts';

const relations: Readonly<Record<string, string>> = {
  Equals: '=',
  LessThan: '<',
  GreaterThan: '>',
  LessThanEquals: '<=',
  GreaterThanEquals: '>=',
  Matches: 'matches',
};

/** A condition as drawings show it: `$.total > 100 and not ($.trusted = true)`. */
export function describeCondition(condition: Condition | undefined): string {
  if (!condition) return '';
  if ('conditions' in condition) {
    const word = condition.operator === 'And' ? ' and ' : ' or ';
    return condition.conditions.map(inner).join(word);
  }
  if ('condition' in condition) return `not ${inner(condition.condition)}`;
  if ('expression' in condition) {
    const { expression } = condition;
    return typeof expression === 'string' ? expression.slice(2, -2).trim() : String(expression);
  }
  return describeComparison(condition.operator, condition.Variable, condition.operand);
}

/** The comparisons of a condition; of a JSONata expression, the operands of its `and`, `or` and `$not`. */
export function operandsIn(condition: Condition | undefined): readonly ChartOperand[] {
  if (!condition) return [];
  if ('conditions' in condition) return condition.conditions.flatMap(operandsIn);
  if ('condition' in condition) return operandsIn(condition.condition);
  const { at } = condition;
  if (!('expression' in condition))
    return [{ origin: at, description: describeCondition(condition) }];
  const { expression } = condition;
  if (typeof expression !== 'string') return [];
  return operandTexts(expression).map((text, index) => ({
    origin: [...at, 'Condition', index],
    description: text,
  }));
}

function inner(condition: Condition): string {
  const text = describeCondition(condition);
  return 'conditions' in condition ? `(${text})` : text;
}

function describeComparison(operator: string, variable: string, operand: Json): string {
  if (operator.startsWith('Is')) {
    const kind = operator.slice(2).toLowerCase();
    return `${variable} is ${operand === false ? 'not ' : ''}${kind}`;
  }
  const isPath = operator.endsWith('Path');
  const [, relation = ''] =
    /^(?:String|Numeric|Boolean|Timestamp)(.+)$/.exec(isPath ? operator.slice(0, -4) : operator) ??
    [];
  const other = isPath && typeof operand === 'string' ? operand : JSON.stringify(operand);
  return `${variable} ${relations[relation] ?? relation} ${other}`;
}
