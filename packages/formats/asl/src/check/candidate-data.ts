import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Choice, Condition } from '../definition/index.ts';

const simplePath = /^\$((?:\.[A-Za-z_][A-Za-z0-9_]*)+)$/;

/** Data are tried in so many combinations at most. */
const combinationsMax = 1_000;
const variablesMax = 9;

/** A value of a variable; undefined when the data do not have it. */
type Candidate = Json | undefined;

export interface Candidates {
  /** The fields that the Choices compare, such as `['order', 'price']`. */
  readonly variables: readonly (readonly string[])[];
  readonly data: readonly JsonObject[];
}

/**
 * Data that Choices tell apart: the values that they compare and their neighbours, in every combination. Of many variables each has fewer values.
 *
 * @returns undefined when a condition reads something else than fields of the data
 */
export function candidateData(choices: readonly Choice[]): Candidates | undefined {
  const byVariable = new Map<string, Candidate[]>();
  for (const { Choices: rules } of choices)
    for (const { condition } of rules)
      if (!condition || !collect(condition, byVariable)) return undefined;
  if (byVariable.size > variablesMax) return undefined;
  const most = Math.max(2, Math.floor(combinationsMax ** (1 / Math.max(1, byVariable.size))));
  const variables: (readonly string[])[] = [];
  let data: readonly JsonObject[] = [{}];
  // Long paths last: they lie within the values of shorter ones.
  for (const [variable, values] of [...byVariable].toSorted(([a], [b]) => a.length - b.length)) {
    const fields = fieldsOfPath(variable)!;
    variables.push(fields);
    data = data.flatMap((each) =>
      unique(values)
        .slice(0, most)
        .map((value) => withValue(each, fields, value)),
    );
  }
  return { variables, data };
}

/** The names of the fields of a simple path; undefined for other paths. */
export function fieldsOfPath(path: string): readonly string[] | undefined {
  return simplePath.exec(path)?.[1]!.split('.').slice(1);
}

/** @returns whether the condition reads fields of the data only */
function collect(condition: Condition, found: Map<string, Candidate[]>): boolean {
  if ('conditions' in condition) return condition.conditions.every((each) => collect(each, found));
  if ('condition' in condition) return collect(condition.condition, found);
  if ('expression' in condition) return typeof condition.expression === 'boolean';
  const { Variable: variable, operator, operand } = condition;
  const values = valuesFor(operator, operand);
  if (!simplePath.test(variable) || !values) return false;
  found.set(variable, [...(found.get(variable) ?? []), ...values, undefined]);
  return true;
}

/** Values for which a comparison holds, and values for which it does not. */
function valuesFor(operator: string, operand: Json): readonly Json[] | undefined {
  if (operator.endsWith('Path') || operator.startsWith('Timestamp')) return undefined;
  if (typeof operand === 'number') return [operand, operand + 1, operand - 1];
  if (operator.startsWith('Is')) return [null, 'a text', 1, true, '2026-01-01T09:00:00Z'];
  if (typeof operand === 'boolean') return [true, false];
  if (typeof operand !== 'string') return undefined;
  return operator === 'StringMatches'
    ? [operand.replaceAll('*', ''), `another ${operand.length}`]
    : [operand, `${operand}a`, ''];
}

function unique(values: readonly Candidate[]): readonly Candidate[] {
  const byText = new Map(values.map((value) => [JSON.stringify(value), value]));
  return [...byText.values()];
}

function withValue(
  data: JsonObject,
  [name, ...rest]: readonly string[],
  value: Candidate,
): JsonObject {
  if (name === undefined) return data;
  const inner = data[name];
  const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  if (rest.length > 0) {
    const changed = withValue(isObject ? (inner as JsonObject) : {}, rest, value);
    return Object.keys(changed).length === 0 && !isObject ? data : { ...data, [name]: changed };
  }
  return value === undefined ? data : { ...data, [name]: value };
}
