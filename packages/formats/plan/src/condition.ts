import type { Json, JsonObject, Path } from '@dramaturg/compiler';

/** A condition of a transition, in one spelling, and where it was written. Spec: docs/formats/plan.md#conditions */
export type Condition = ConditionTerms & { readonly place?: ConditionPlace };

/** Where a condition's parts stand in the definition as authored. */
export interface ConditionPlace {
  readonly type: Path;
  readonly key: Path;
  readonly value: Path;
}

type ConditionTerms =
  | { readonly type: 'all_tasks_complete' }
  | { readonly type: 'goal_achieved' }
  | { readonly type: 'deliverable_exists'; readonly deliverable_key: string }
  | {
      readonly type: 'deliverable_value';
      readonly deliverable_key: string;
      /** A list means any of its values, as the visual builder writes it. */
      readonly expected_value: Json;
    }
  | {
      readonly type: 'deliverable_value_in';
      readonly deliverable_key: string;
      readonly values: readonly Json[];
    }
  | {
      readonly type: 'deliverable_value_numeric';
      readonly deliverable_key: string;
      readonly operator: 'gt' | 'gte' | 'lt' | 'lte' | 'eq' | 'neq';
      readonly value: number;
    }
  | {
      readonly type: 'deliverable_value_numeric';
      readonly deliverable_key: string;
      readonly operator: 'between';
      readonly min: number;
      readonly max: number;
      readonly inclusive: boolean;
    }
  | {
      readonly type: 'turn_count_exceeded';
      readonly turns: number;
      readonly scope: 'without_progress' | 'total';
    }
  | { readonly type: 'all_of' | 'any_of'; readonly conditions: readonly Condition[] };

export type ConditionType = Condition['type'];

export const conditionTypes: readonly string[] = [
  'all_tasks_complete',
  'deliverable_value',
  'deliverable_exists',
  'deliverable_value_in',
  'deliverable_value_numeric',
  'turn_count_exceeded',
  'goal_achieved',
  'all_of',
  'any_of',
  'compound',
];

/** A number, or a text that is one; undefined for blank, infinite and everything else. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** A condition and every condition within it. */
export function eachCondition(condition: Condition): Condition[] {
  return 'conditions' in condition
    ? [condition, ...condition.conditions.flatMap(eachCondition)]
    : [condition];
}

/** The deliverables a condition reads itself, not those of conditions within it. */
export function keyOf(condition: Condition): string | undefined {
  return 'deliverable_key' in condition ? condition.deliverable_key : undefined;
}

/** A condition as parameters of a guard: without places. */
export function conditionParams(condition: Condition): JsonObject {
  const { type: _, place: __, ...params } = condition;
  if (!('conditions' in condition)) return params as JsonObject;
  return {
    conditions: condition.conditions.map((child) => ({
      type: child.type,
      ...conditionParams(child),
    })),
  };
}

/** A condition as people say it: `issue_type = billing`. */
export function inWords(condition: Condition): string {
  switch (condition.type) {
    case 'all_tasks_complete':
      return 'all tasks complete';
    case 'goal_achieved':
      return 'goal achieved';
    case 'deliverable_exists':
      return `${condition.deliverable_key} is known`;
    case 'deliverable_value':
      return `${condition.deliverable_key} = ${wordFor(condition.expected_value)}`;
    case 'deliverable_value_in':
      return `${condition.deliverable_key} = ${condition.values.map(wordFor).join(' or ')}`;
    case 'deliverable_value_numeric': {
      const { deliverable_key: key } = condition;
      if (condition.operator === 'between')
        return `${key} from ${condition.min} to ${condition.max}`;
      return `${key} ${signs[condition.operator]} ${condition.value}`;
    }
    case 'turn_count_exceeded':
      return `${condition.turns} ${condition.scope === 'total' ? 'turns' : 'turns without progress'}`;
    case 'all_of':
    case 'any_of': {
      const word = condition.type === 'all_of' ? ' and ' : ' or ';
      return condition.conditions
        .map((child) => ('conditions' in child ? `(${inWords(child)})` : inWords(child)))
        .join(word);
    }
  }
}

const signs = { gt: '>', gte: '≥', lt: '<', lte: '≤', eq: '=', neq: '≠' };

function wordFor(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
