import type { Pattern } from '@dramaturg/compiler/format';
import { nearestName } from '@dramaturg/compiler/text';
import { eachCondition, keyOf } from '../conditions/condition.ts';
import { type Condition } from '../conditions/table.ts';
import { goalMarker, type Plan, type State } from '../definition.ts';
import { undeclaredInsight, undeclaredKey } from '../diagnostics/transitions.ts';
import { allDeliverables } from '../declarations.ts';
import type { PlanRule } from './rule.ts';

/** Reports conditions on keys that no task collects. In a plan with a goal state an agent may still record such a key. */
export const undeclaredKeys: PlanRule = ({ definition, report }) => {
  const declared = new Set(allDeliverables(definition).map(({ key }) => key));
  const known = [...declared];
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
    ['deliverables', '*', 'key'],
    [...statesAt, '*', 'tasks', '*', 'deliverables', '*', 'key'],
    [...statesAt, '*', 'goal', 'deliverables', '*', 'key'],
  ];
}

export interface PlacedCondition {
  readonly condition: Condition;
  readonly state: State;
}

/** Every condition of the plan, including nested ones, with its state. Conditions of the whole plan get the first state. */
export function simpleConditions(plan: Plan): PlacedCondition[] {
  const [first] = plan.states;
  return [
    ...(first ? (plan.transitions ?? []).map((transition) => ({ transition, state: first })) : []),
    ...plan.states.flatMap((state) =>
      state.transitions.map((transition) => ({ transition, state })),
    ),
  ].flatMap(({ transition: { condition }, state }) =>
    condition ? eachCondition(condition).map((one) => ({ condition: one, state })) : [],
  );
}
