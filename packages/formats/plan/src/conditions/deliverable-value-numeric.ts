import type { Json } from '@dramaturg/compiler';
import { toNumber } from '../value.ts';
import type { ConditionFields, ConditionKind, NumberRange } from './kind.ts';

export type Terms = Comparison | Between;

export interface Comparison {
  readonly deliverable_key: string;
  readonly operator: 'gt' | 'gte' | 'lt' | 'lte' | 'eq' | 'neq';
  readonly value: number;
}

export interface Between {
  readonly deliverable_key: string;
  readonly operator: 'between';
  readonly min: number;
  readonly max: number;
  readonly inclusive: boolean;
}

/** A deliverable, read as a number, compares with one number or lies between two. */
export const deliverableValueNumeric: ConditionKind<'deliverable_value_numeric', Terms> = {
  type: 'deliverable_value_numeric',
  otherNames: ['deliverable_number', 'numeric'],
  read,
  inWords: (terms) =>
    terms.operator === 'between'
      ? `${terms.deliverable_key} from ${terms.min} to ${terms.max}`
      : `${terms.deliverable_key} ${signs[terms.operator]} ${terms.value}`,
  holds: (terms, conversation) => admits(terms, conversation.valueOf(terms.deliverable_key)),
  admits,
  isNumeric: true,
  range,
  limits: (terms) => (terms.operator === 'between' ? [terms.min, terms.max] : [terms.value]),
};

const signs = { gt: '>', gte: '≥', lt: '<', lte: '≤', eq: '=', neq: '≠' };

const operators = {
  gt: 'gt',
  '>': 'gt',
  gte: 'gte',
  '>=': 'gte',
  lt: 'lt',
  '<': 'lt',
  lte: 'lte',
  '<=': 'lte',
  eq: 'eq',
  '==': 'eq',
  neq: 'neq',
  '!=': 'neq',
  between: 'between',
  range: 'between',
} as const;

function read(fields: ConditionFields) {
  const deliverable_key = fields.key();
  const operator = fields.word('operator', operators);
  if (operator === undefined) return undefined;
  if (operator !== 'between') {
    const value = fields.number('a number', () => true, 'value', 'expected_value');
    return { deliverable_key, operator, value };
  }
  const max = fields.number('a number', () => true, 'max');
  const min = fields.number(
    max === undefined ? 'a number' : `at most "max", which is ${max}`,
    (number) => max === undefined || number <= max,
    'min',
  );
  return { deliverable_key, operator, min, max, inclusive: fields.value('inclusive') !== false };
}

function admits(terms: Terms, stored: Json | undefined): boolean {
  const value = typeof stored === 'boolean' ? Number(stored) : toNumber(stored);
  if (value === undefined) return false;
  const admitted = range(terms);
  if (admitted === undefined) return terms.operator === 'neq' && value !== terms.value;
  const { from, to, withFrom, withTo } = admitted;
  return (value > from || (withFrom && value === from)) && (value < to || (withTo && value === to));
}

function range(terms: Terms): NumberRange | undefined {
  if (terms.operator === 'neq') return undefined;
  if (terms.operator === 'between') {
    const { min, max, inclusive } = terms;
    return { from: min, to: max, withFrom: inclusive, withTo: inclusive };
  }
  const { operator, value } = terms;
  const [isAbove, isBelow] = [operator.startsWith('g'), operator.startsWith('l')];
  return {
    from: isBelow ? -Infinity : value,
    to: isAbove ? Infinity : value,
    withFrom: operator === 'gte' || operator === 'eq',
    withTo: operator === 'lte' || operator === 'eq',
  };
}
