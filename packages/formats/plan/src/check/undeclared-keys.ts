import type { Pattern } from '@dramaturg/compiler/format';
import { nearestName } from '@dramaturg/compiler/text';
import { eachCondition, keyOf } from '../conditions/condition.ts';
import { type Condition } from '../conditions/table.ts';
import { goalMarker, type Plan, type State } from '../definition.ts';
import { undeclaredInsight, undeclaredKey } from '../diagnostics/transitions.ts';
import { declarations } from '../declarations.ts';
import type { PlanRule } from './rule.ts';

/** Reports conditions on keys that no task collects. In a plan with a goal state an agent may still record such a key. */
export const undeclaredKeys: PlanRule = ({ definition, report }) => {
  const declared = declarations(definition);
  const known = [...declared.keys()];
  const collectsAnything = definition.states.some(({ type }) => type === 'goal');
  const kind = collectsAnything ? undeclaredInsight : undeclaredKey;
  const undeclared = simpleConditions(definition).filter(({ condition }) => {
    const key = keyOf(condition);
    return key !== undefined && key !== goalMarker && !declared.has(key);
  });
  // One finding per state for keys that are not misspellings: they probably miss the same task.
  const topicOf = new Map<string, string>();
  const keysOfTopic = new Map<string, string[]>();
  for (const { condition, state } of undeclared) {
    const key = keyOf(condition)!;
    if (topicOf.has(key)) continue;
    const topic = nearestName(key, known) === undefined ? `state ${state.id}` : `key ${key}`;
    topicOf.set(key, topic);
    keysOfTopic.set(topic, [...(keysOfTopic.get(topic) ?? []), key]);
  }
  for (const { condition } of undeclared) {
    const topic = topicOf.get(keyOf(condition)!)!;
    report(kind(keysOfTopic.get(topic)!, known), condition.paths!.key, {
      topic,
      // A misspelt key does not follow from a broken declaration.
      ...(topic.startsWith('state') ? { follows: keysOf(definition) } : {}),
    });
  }
};

/** The places that declare the keys of deliverables. */
export function keysOf({ statesAt }: Plan): readonly Pattern[] {
  return [
    [...statesAt, '*', 'tasks', '*', 'deliverables', '*', 'key'],
    [...statesAt, '*', 'goal', 'deliverables', '*', 'key'],
  ];
}

export interface PlacedCondition {
  readonly condition: Condition;
  readonly state: State;
}

/** Every condition of the plan, nested ones included, with its state. */
export function simpleConditions(plan: Plan): PlacedCondition[] {
  return plan.states.flatMap((state) =>
    state.transitions.flatMap(({ condition }) =>
      condition ? eachCondition(condition).map((one) => ({ condition: one, state })) : [],
    ),
  );
}
