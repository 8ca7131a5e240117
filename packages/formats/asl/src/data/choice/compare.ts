import type { Json } from '@dramaturg/compiler';
import { isTimestamp, parseTimestamp } from '../timestamp.ts';
import { compileGlob } from './glob.ts';

/** Compares a value with an operand. False for values of another type. */
export type Compare = (value: Json, operand: Json) => boolean;

const relations: Readonly<Record<string, (order: number) => boolean>> = {
  Equals: (order) => order === 0,
  LessThan: (order) => order < 0,
  GreaterThan: (order) => order > 0,
  LessThanEquals: (order) => order <= 0,
  GreaterThanEquals: (order) => order >= 0,
};

/** The order of two values of a family; undefined when one of them has another type. */
const families: Readonly<Record<string, (one: Json, other: Json) => number | undefined>> = {
  String: (one, other) =>
    typeof one === 'string' && typeof other === 'string' ? orderOf(one, other) : undefined,
  Numeric: (one, other) =>
    typeof one === 'number' && typeof other === 'number' ? orderOf(one, other) : undefined,
  Boolean: (one, other) =>
    typeof one === 'boolean' && typeof other === 'boolean'
      ? orderOf(Number(one), Number(other))
      : undefined,
  Timestamp: (one, other) => {
    const [moment, otherMoment] = [momentOf(one), momentOf(other)];
    return moment === undefined || otherMoment === undefined
      ? undefined
      : orderOf(moment, otherMoment);
  },
};

/** Compares texts by code units. */
function orderOf<Value extends string | number>(one: Value, other: Value): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function momentOf(value: Json): number | undefined {
  return typeof value === 'string' ? parseTimestamp(value) : undefined;
}

const operator = /^(String|Numeric|Boolean|Timestamp)(.+)$/;

/**
 * The comparison of an operator such as `NumericLessThan`. Spec: Agent 2 §Comparison Operators, Amazon #choice-state
 */
export function comparisonOf(name: string): Compare | undefined {
  const [, family, relation] = operator.exec(name) ?? [];
  if (family === undefined || !Object.hasOwn(relations, relation!)) return undefined;
  const compare = families[family]!;
  const fits = relations[relation!]!;
  return (value, operand) => {
    const order = compare(value, operand);
    return order !== undefined && fits(order);
  };
}

/** Like `comparisonOf` for an operator such as `TimestampLessThan`, with a moment in milliseconds since 1970 UTC. */
export function momentComparisonOf(name: string): (value: Json, moment: number) => boolean {
  const fits = relations[name.slice('Timestamp'.length)]!;
  return (value, moment) => {
    const own = momentOf(value);
    return own !== undefined && fits(orderOf(own, moment));
  };
}

export function matcherOf(pattern: string): (value: Json) => boolean {
  const fits = compileGlob(pattern);
  return (value) => typeof value === 'string' && fits(value);
}

/** Spec: Agent 2 §Type Checks, Amazon #choice-state */
export const typeTests: Readonly<Record<string, (value: Json) => boolean>> = {
  IsNull: (value) => value === null,
  IsNumeric: (value) => typeof value === 'number',
  IsString: (value) => typeof value === 'string',
  IsBoolean: (value) => typeof value === 'boolean',
  IsTimestamp: (value) => typeof value === 'string' && isTimestamp(value),
};
