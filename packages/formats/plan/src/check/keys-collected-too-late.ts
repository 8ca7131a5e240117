import { reachableFrom } from '@dramaturg/compiler/chart';
import { keyOf } from '../conditions/condition.ts';
import { collectedTooLate } from '../diagnostics/transitions.ts';
import { planGraph, wiringOf } from '../plan-graph.ts';
import { deliverablesOf } from '../declarations.ts';
import type { PlanRule } from './rule.ts';
import { keysOf, simpleConditions } from './undeclared-keys.ts';

/** Reports conditions on a value that is collected neither in their state nor in a state that leads to it. */
export const keysCollectedTooLate: PlanRule = ({ definition, report }) => {
  const { targets } = planGraph(definition);
  const statesOf = new Map<string, Set<string>>();
  for (const { deliverable, state } of definition.states.flatMap(deliverablesOf)) {
    statesOf.set(deliverable.key, (statesOf.get(deliverable.key) ?? new Set()).add(state.id));
  }
  if (definition.states.some(({ type }) => type === 'goal')) return;
  if (statesOf.size * definition.states.length > mostSearches) return;
  const after = new Map<string, Set<string>>();
  const entered = reachableFrom([definition.initial_state_id], targets);
  // A transition of the whole plan is also tried in later states.
  for (const { condition, state } of simpleConditions({ ...definition, transitions: [] })) {
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

/** The most keys times states that this rule searches. Hand-written plans are far below. */
const mostSearches = 2_000_000;
