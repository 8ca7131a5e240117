import { loopsOf, reachableFrom } from '@dramaturg/compiler/chart';
import { end, type Plan } from '../definition.ts';
import { endsHere, noWayToTheEnd } from '../diagnostics/states.ts';
import { planGraph } from '../plan-graph.ts';
import type { PlanRule } from './rule.ts';

/** Reports reachable states from which the conversation cannot end, and states in the middle of the list that end it. */
export const missingEnds: PlanRule = ({ definition, options, report }) => {
  const { byId, targets } = planGraph(definition);
  const entered = reachableFrom([definition.initial_state_id], targets);
  const last = definition.states.at(-1);
  for (const state of definition.states) {
    if (state.transitions.length > 0 || state === last || !entered.has(state.id)) continue;
    if (state.id !== '') report(endsHere(state.id), state.at);
  }
  // The limit on idle turns ends the conversation in any state.
  if (options.idleTurnLimit !== undefined) return;
  for (const group of loopsWithoutEnd(definition)) {
    const follows = group.map((id) => [...byId.get(id)!.at, 'transitions']);
    report(noWayToTheEnd(group), byId.get(group[0]!)!.at, { about: follows, follows });
  }
};

/** Groups of reachable states that lead only to each other. */
export function loopsWithoutEnd(plan: Plan): string[][] {
  const { targets } = planGraph(plan);
  const entered = reachableFrom([plan.initial_state_id], targets);
  const canEnd = statesThatCanEnd(plan);
  const stuck = plan.states
    .map(({ id }) => id)
    .filter((id) => id !== '' && entered.has(id) && !canEnd.has(id));
  return loopsOf(stuck, targets);
}

function statesThatCanEnd(plan: Plan): Set<string> {
  const { byId, targets } = planGraph(plan);
  const sources = new Map<string, string[]>();
  const ends: string[] = [end];
  for (const { id, transitions } of plan.states) {
    // A transition to an unknown state may have been meant to lead to the end.
    const leadsNowhere = transitions.some(
      ({ target_state_id: target }) => target !== end && !byId.has(target),
    );
    if (transitions.length === 0 || leadsNowhere) ends.push(id);
    for (const target of targets(id)) {
      const known = sources.get(target);
      if (known) known.push(id);
      else sources.set(target, [id]);
    }
  }
  return reachableFrom(ends, (id) => sources.get(id) ?? []);
}
