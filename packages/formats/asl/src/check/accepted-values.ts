import { isRecord } from '@dramaturg/compiler';

/** The values that a comparison accepts: one value, or the numbers between two limits. */
export type AcceptedValues =
  | { readonly kind: 'value'; readonly value: string | boolean }
  | {
      readonly kind: 'numbers';
      readonly from: number;
      readonly to: number;
      /** The limits themselves are not accepted. */
      readonly isFromOpen: boolean;
      readonly isToOpen: boolean;
    };

/** The demands of a rule on each variable that it compares. Conditions that were not read demand more. */
export interface Demands {
  readonly byVariable: ReadonlyMap<string, AcceptedValues>;
  /** Every condition was read, so nothing else is demanded. */
  readonly isExact: boolean;
  /** A variable on which two conditions contradict each other. */
  readonly contradiction?: string;
}

/** Conditions nested deeper are not read. */
const depthMax = 20;

/** The demands of a JSONPath choice rule: of its comparison, or of all comparisons in its `And`. */
export function demandsOf(rule: Readonly<Record<string, unknown>>, depth = 0): Demands {
  const { And: conditions, Variable: variable } = rule;
  if (Array.isArray(conditions) && depth < depthMax)
    return joined(conditions.map((each) => (isRecord(each) ? demandsOf(each, depth + 1) : unread)));
  const accepted = typeof variable === 'string' ? acceptedBy(rule) : undefined;
  if (typeof variable !== 'string' || !accepted) return unread;
  return { byVariable: new Map([[variable, accepted]]), isExact: true };
}

const unread: Demands = { byVariable: new Map(), isExact: false };

function joined(all: readonly Demands[]): Demands {
  const byVariable = new Map<string, AcceptedValues>();
  let contradiction = all.find((each) => each.contradiction !== undefined)?.contradiction;
  for (const demands of all)
    for (const [variable, accepted] of demands.byVariable) {
      const before = byVariable.get(variable);
      const both = before ? intersectionOf(before, accepted) : accepted;
      if (both) byVariable.set(variable, both);
      else contradiction ??= variable;
    }
  return {
    byVariable,
    isExact: all.every(({ isExact }) => isExact),
    ...(contradiction === undefined ? {} : { contradiction }),
  };
}

function acceptedBy(rule: Readonly<Record<string, unknown>>): AcceptedValues | undefined {
  const { StringEquals: text, BooleanEquals: truth } = rule;
  if (typeof text === 'string') return { kind: 'value', value: text };
  if (typeof truth === 'boolean') return { kind: 'value', value: truth };
  for (const [operator, numbers] of Object.entries(numeric)) {
    const limit = rule[operator];
    if (typeof limit === 'number') return { kind: 'numbers', ...numbers(limit) };
  }
  return undefined;
}

const whole = { from: -Infinity, to: Infinity, isFromOpen: true, isToOpen: true };

const numeric = {
  NumericEquals: (limit: number) => ({
    from: limit,
    to: limit,
    isFromOpen: false,
    isToOpen: false,
  }),
  NumericGreaterThan: (limit: number) => ({ ...whole, from: limit }),
  NumericGreaterThanEquals: (limit: number) => ({ ...whole, from: limit, isFromOpen: false }),
  NumericLessThan: (limit: number) => ({ ...whole, to: limit }),
  NumericLessThanEquals: (limit: number) => ({ ...whole, to: limit, isToOpen: false }),
};

/** The values that both accept; undefined when there are none. */
function intersectionOf(one: AcceptedValues, other: AcceptedValues): AcceptedValues | undefined {
  if (one.kind === 'value' || other.kind === 'value')
    return one.kind === other.kind &&
      'value' in one &&
      'value' in other &&
      one.value === other.value
      ? one
      : undefined;
  const from = Math.max(one.from, other.from);
  const to = Math.min(one.to, other.to);
  const isFromOpen = [one, other].some((each) => each.from === from && each.isFromOpen);
  const isToOpen = [one, other].some((each) => each.to === to && each.isToOpen);
  const isEmpty = from > to || (from === to && (isFromOpen || isToOpen));
  return isEmpty ? undefined : { kind: 'numbers', from, to, isFromOpen, isToOpen };
}

/** Whether `outer` accepts every value that `inner` accepts. */
export function isWithin(inner: AcceptedValues, outer: AcceptedValues): boolean {
  const both = intersectionOf(inner, outer);
  return both !== undefined && JSON.stringify(both) === JSON.stringify(inner);
}

/** A value that is accepted, as JSON. */
export function exampleOf(accepted: AcceptedValues): string {
  if (accepted.kind === 'value') return JSON.stringify(accepted.value);
  const { from, to, isFromOpen, isToOpen } = accepted;
  if (!isFromOpen) return String(from);
  if (!isToOpen) return String(to);
  if (from === -Infinity) return String(to === Infinity ? 0 : to - 1);
  return String(to === Infinity ? from + 1 : (from + to) / 2);
}
