import { type Json, nearestName, type Pattern, reachableFrom } from '@dramaturg/compiler';
import { eachCondition, keyOf } from '../conditions/condition.ts';
import { type Condition, kindOf } from '../conditions/table.ts';
import { type Deliverable, goalMarker, type Plan, type State } from '../definition.ts';
import {
  coercedValue,
  collectedTooLate,
  impossibleValue,
  numericOnText,
  undeclaredInsight,
  undeclaredKey,
} from '../diagnostics/transitions.ts';
import { planGraph, wiringOf } from '../plan-graph.ts';
import { coerce, whatItIs } from '../value.ts';
import { declarationFinder, declarations, deliverablesOf } from '../declarations.ts';
import { valuesOf } from './implication.ts';
import type { PlanRule } from './rule.ts';

/** A condition reads what some task collects; a goal state may collect anything. */
export const keysDeclared: PlanRule = ({ definition, report }) => {
  const declared = declarations(definition);
  const known = [...declared.keys()];
  const collectsAnything = definition.states.some(({ type }) => type === 'goal');
  const kind = collectsAnything ? undeclaredInsight : undeclaredKey;
  const undeclared = simpleConditions(definition).filter(({ condition }) => {
    const key = keyOf(condition);
    return key !== undefined && key !== goalMarker && !declared.has(key);
  });
  // Keys that are no slip of a declared one, and that the transitions of one state name, miss the same task.
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
      // A slip of a declared key is none of a broken declaration.
      ...(topic.startsWith('state') ? { follows: keysOf(definition) } : {}),
    });
  }
};

/** A condition reads what is collected in its state or in one from which it can be reached. */
export const keysCollectedInTime: PlanRule = ({ definition, report }) => {
  const { targets } = planGraph(definition);
  const statesOf = new Map<string, Set<string>>();
  for (const { deliverable, state } of definition.states.flatMap(deliverablesOf)) {
    statesOf.set(deliverable.key, (statesOf.get(deliverable.key) ?? new Set()).add(state.id));
  }
  if (definition.states.some(({ type }) => type === 'goal')) return;
  if (statesOf.size * definition.states.length > mostSearches) return;
  const after = new Map<string, Set<string>>();
  const entered = reachableFrom([definition.initial_state_id], targets);
  for (const { condition, state } of simpleConditions(definition)) {
    if (!entered.has(state.id)) continue;
    const key = keyOf(condition);
    const collectors = key === undefined ? undefined : statesOf.get(key);
    if (key === undefined || !collectors || collectors.has(state.id)) continue;
    let reached = after.get(key);
    if (!reached) after.set(key, (reached = reachableFrom(collectors, targets)));
    if (!reached.has(state.id))
      report(collectedTooLate(key), condition.paths!.key, {
        follows: [...keysOf(definition), ...wiringOf(definition)],
      });
  }
};

/** Keys times states beyond which `keysCollectedInTime` does not judge: no one wrote such a plan by hand. */
const mostSearches = 2_000_000;

/** A value that is waited for is one the deliverable can have, in one of the places that declare it. */
export const expectedValues: PlanRule = ({ definition, report }) => {
  const declarationOf = declarationFinder(definition);
  const everywhere = new Map<string, Deliverable[]>();
  for (const { deliverable } of definition.states.flatMap(deliverablesOf)) {
    const known = everywhere.get(deliverable.key);
    if (known) known.push(deliverable);
    else everywhere.set(deliverable.key, [deliverable]);
  }
  for (const { condition, state } of simpleConditions(definition)) {
    const key = keyOf(condition) ?? '';
    const deliverable = declarationOf(state, key);
    if (!deliverable || !condition.paths) continue;
    if (deliverable.type === 'enum' && deliverable.enum_values.length === 0) continue;
    const fits = (value: Json) =>
      everywhere.get(key)?.some((declaration) => coerce(value, declaration).fits);
    for (const value of valuesOf(condition) ?? []) {
      const written = JSON.stringify(value);
      const coerced = coerce(value, deliverable);
      if (coerced.fits && typeof coerced.value !== typeof value) {
        report(coercedValue(key, written, JSON.stringify(coerced.value)), condition.paths.value);
      } else if (value === '') {
        report(impossibleValue(key, written, 'never empty', []), condition.paths.value);
      } else if (!coerced.fits && !fits(value)) {
        const { enum_values: options } = deliverable;
        report(
          impossibleValue(key, written, whatItIs(deliverable), options),
          condition.paths.value,
          { follows: ['type', 'enum_values'].map((field) => [...deliverable.at, field]) },
        );
      }
    }
    const isText = deliverable.type === 'string' || deliverable.type === 'enum';
    if (kindOf(condition).isNumeric && isText) {
      report(numericOnText(key, deliverable.type), condition.paths.key, {
        follows: [[...deliverable.at, 'type']],
      });
    }
  }
};

/** The places that declare the keys of deliverables. */
function keysOf({ statesAt }: Plan): readonly Pattern[] {
  return [
    [...statesAt, '*', 'tasks', '*', 'deliverables', '*', 'key'],
    [...statesAt, '*', 'goal', 'deliverables', '*', 'key'],
  ];
}

interface PlacedCondition {
  readonly condition: Condition;
  readonly state: State;
}

/** Every condition of the plan, those within others too, with its state. */
function simpleConditions(plan: Plan): PlacedCondition[] {
  return plan.states.flatMap((state) =>
    state.transitions.flatMap(({ condition }) =>
      condition ? eachCondition(condition).map((one) => ({ condition: one, state })) : [],
    ),
  );
}
