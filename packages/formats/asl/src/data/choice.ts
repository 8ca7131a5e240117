import type { Json } from '@dramaturg/compiler';
import type { Condition } from '../definition/choice-rule.ts';
import type { Dialect } from '../definition/machine.ts';
import { dialects } from '../dialect.ts';
import type { Evaluation } from './evaluation.ts';
import { compileIntrinsic } from './template.ts';
import { isCall } from './intrinsic/parse.ts';
import { compileRead, type Found } from './path/read.ts';
import { compileSearch } from './pattern.ts';
import { StatesError } from './states-error.ts';
import { isTimestamp, parseDuration, parseTimestamp } from './timestamp.ts';

/** Compares a value with an operand. False for values of another type. */
type Compare = (value: Json, operand: Json) => boolean;

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

/** Compares strings by code units. */
function orderOf<Checked extends string | number>(one: Checked, other: Checked): number {
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
function comparisonOf(name: string): Compare | undefined {
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
function momentComparisonOf(name: string): (value: Json, moment: number) => boolean {
  const fits = relations[name.slice('Timestamp'.length)]!;
  return (value, moment) => {
    const own = momentOf(value);
    return own !== undefined && fits(orderOf(own, moment));
  };
}

function matcherOf(pattern: string): (value: Json) => boolean {
  const fits = compileGlob(pattern);
  return (value) => typeof value === 'string' && fits(value);
}

/** Spec: Agent 2 §Type Checks, Amazon #choice-state */
const typeTests: Readonly<Record<string, (value: Json) => boolean>> = {
  IsNull: (value) => value === null,
  IsNumeric: (value) => typeof value === 'number',
  IsString: (value) => typeof value === 'string',
  IsBoolean: (value) => typeof value === 'boolean',
  IsTimestamp: (value) => typeof value === 'string' && isTimestamp(value),
};

/**
 * Matches a whole string with a pattern: `*` matches any characters, `\*` and `\\` the character itself. The time is in
 * proportion to the sum of the two lengths. Spec: Agent 2 §String Comparisons, Amazon #choice-state
 */
export function compileGlob(pattern: string): (text: string) => boolean {
  const parts = partsOf(pattern);
  const [first] = parts;
  const last = parts.at(-1)!;
  if (parts.length === 1) return (text) => text === first;
  const inner = parts
    .slice(1, -1)
    .filter((part) => part !== '')
    .map((part) => ({ search: compileSearch(part), length: part.length }));
  return (text) => {
    if (text.length < first!.length + last.length) return false;
    if (!text.startsWith(first!) || !text.endsWith(last)) return false;
    const end = text.length - last.length;
    let at = first!.length;
    // The first occurrence is the best: a later one only leaves less text for the other parts.
    for (const { search, length } of inner) {
      const found = search(text, at);
      if (found < 0 || found + length > end) return false;
      at = found + length;
    }
    return true;
  };
}

/** The strings between the stars, with their escapes resolved. */
function partsOf(pattern: string): string[] {
  const parts = [''];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]!;
    if (character === '*') {
      parts.push('');
      continue;
    }
    const escaped = character === '\\' ? pattern[at + 1] : undefined;
    if (escaped === '*' || escaped === '\\') at += 1;
    parts[parts.length - 1] += escaped === '*' || escaped === '\\' ? escaped : character;
  }
  return parts;
}

type Holds = (evaluation: Evaluation) => boolean;

/**
 * Compiles a condition of a Choice. Spec: Agent 2 §Choice Rules, Amazon #choice-state
 *
 * @throws StatesError States.Runtime in Amazon's dialect, when a path has no value
 */
export function compileCondition(condition: Condition, dialect: Dialect): Holds {
  if ('conditions' in condition) {
    const parts = condition.conditions.map((part) => compileCondition(part, dialect));
    return condition.operator === 'And'
      ? (evaluation) => parts.every((holds) => holds(evaluation))
      : (evaluation) => parts.some((holds) => holds(evaluation));
  }
  if ('condition' in condition) {
    const holds = compileCondition(condition.condition, dialect);
    return (evaluation) => !holds(evaluation);
  }
  if ('expression' in condition) throw new Error('A JSONata condition is not compiled here.');
  const holds = compileComparison(condition, dialect);
  return (evaluation) => {
    const isTrue = holds(evaluation);
    evaluation.world.onOperand?.(condition.at, isTrue);
    return isTrue;
  };
}

type Comparison = Extract<Condition, { readonly Variable: string }>;

function compileComparison(
  { operator: name, Variable: variable, operand }: Comparison,
  dialect: Dialect,
): Holds {
  const read = compileOperand(variable, dialect);
  if (name === 'IsPresent') return (evaluation) => read(evaluation).found === operand;
  const value = presentValue(read, variable, dialect);
  const test = typeTests[name];
  if (test) return withValue(value, (found) => test(found) === operand);
  if (name === 'StringMatches') return withValue(value, matcherOf(operand as string));
  const isPath = name.endsWith('Path');
  const fromNow =
    name.startsWith('Timestamp') && !isPath && dialects[dialect].timesAreRelative
      ? parseDuration(operand as string)
      : undefined;
  if (fromNow !== undefined) {
    const compare = momentComparisonOf(name);
    return (evaluation) => {
      const found = value(evaluation);
      return found !== undefined && compare(found, evaluation.world.now() + fromNow);
    };
  }
  const compare = comparisonOf(isPath ? name.slice(0, -'Path'.length) : name)!;
  if (!isPath) return withValue(value, (found) => compare(found, operand));
  const other = presentValue(readOperand(operand as string, dialect), operand as string, dialect);
  return (evaluation) => {
    const found = value(evaluation);
    const against = other(evaluation);
    return found !== undefined && against !== undefined && compare(found, against);
  };
}

type Value = (evaluation: Evaluation) => Json | undefined;

function withValue(value: Value, fits: (found: Json) => boolean): Holds {
  return (evaluation) => {
    const found = value(evaluation);
    return found !== undefined && fits(found);
  };
}

/** In AWS, `$` leads nowhere when the data are null. */
function readOperand(variable: string, dialect: Dialect): (evaluation: Evaluation) => Found {
  const read = compileRead(variable);
  if (variable.trim() !== '$' || dialects[dialect].nullHasPaths) return read;
  return (evaluation) => (evaluation.data === null ? { found: false } : read(evaluation));
}

function compileOperand(variable: string, dialect: Dialect): (evaluation: Evaluation) => Found {
  if (!isCall(variable)) return readOperand(variable, dialect);
  const call = compileIntrinsic(variable, dialect);
  return (evaluation) => ({ found: true, value: call(evaluation) });
}

/** Undefined when the path has no value and the comparison is then false. */
function presentValue(
  read: (evaluation: Evaluation) => Found,
  path: string,
  dialect: Dialect,
): Value {
  const fails = dialects[dialect].missingVariable === 'fails';
  return (evaluation) => {
    const found = read(evaluation);
    if (found.found) return found.value;
    if (evaluation.missing === 'null') return null;
    if (!fails) return undefined;
    throw new StatesError(
      'States.Runtime',
      `Invalid path '${path}': the choice state's condition path references an invalid value.`,
    );
  };
}
