import { loopsOf, type Path, reachableFrom } from '@dramaturg/compiler';
import { end, type Plan, reservedIds } from '../definition.ts';
import {
  duplicateState,
  endsHere,
  loop,
  noWayToTheEnd,
  reservedId,
  unknownInitialState,
} from '../diagnostics/states.ts';
import {
  duplicateField,
  goalOutsideGoalState,
  goalWithoutObjective,
  impossibleDefault,
  selectWithoutOptions,
} from '../diagnostics/tasks.ts';
import { planGraph, unknownFrom } from '../plan-graph.ts';
import type { PlanRule } from './rule.ts';

/** State ids are unique in the plan and no words of the format. */
export const stateIds: PlanRule = ({ definition, report }) => {
  const first = new Map<string, Path>();
  for (const { id, at } of definition.states) {
    if (id === '') continue; // The shape check asks for it.
    const path = [...at, 'id'];
    const earlier = first.get(id);
    if (earlier)
      report(duplicateState(id), path, {
        related: [{ path: earlier, message: 'First declared here.' }],
      });
    else first.set(id, path);
    if (reservedIds.includes(id)) report(reservedId('id of a state', id), path);
  }
};

/** The plan begins in one of its states. */
export const initialState: PlanRule = ({ definition, report }) => {
  const known = definition.states.map(({ id }) => id);
  const { initialAt, initial_state_id: id } = definition;
  if (initialAt && !known.includes(id))
    report(unknownInitialState(id, known), initialAt, unknownFrom(definition, id));
};

/** A goal belongs to a goal state, and says what it is. Spec: docs/formats/plan.md#goal-states */
export const goals: PlanRule = ({ definition, report }) => {
  for (const { id, type, goal, at } of definition.states) {
    if (goal && type !== 'goal')
      report(goalOutsideGoalState(id), [...at, 'goal'], {
        at: 'key',
        follows: [
          [...at, 'type'],
          [...at, 'execution_mode'],
        ],
      });
    if (type === 'goal' && !goal?.objective.trim())
      report(goalWithoutObjective(id), at, { about: [[...at, 'goal', 'objective']] });
  }
};

/** Every state that is entered leads, in the end, to the end. A state without transitions is one. */
export const waysToTheEnd: PlanRule = ({ definition, options, report }) => {
  const { byId, targets } = planGraph(definition);
  const entered = reachableFrom([definition.initial_state_id], targets);
  const last = definition.states.at(-1);
  for (const state of definition.states) {
    if (state.transitions.length > 0 || state === last || !entered.has(state.id)) continue;
    if (state.id !== '') report(endsHere(state.id), state.at);
  }
  // The limit on idle turns leads on from anywhere.
  if (options.idleTurnLimit !== undefined) return;
  for (const group of loopsWithoutEnd(definition)) {
    const follows = group.map((id) => [...byId.get(id)!.at, 'transitions']);
    report(noWayToTheEnd(group), byId.get(group[0]!)!.at, { about: follows, follows });
  }
};

/** Groups of states that can be entered and lead nowhere but to each other. */
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
    // Where a transition leads to nothing that exists, what it was meant to lead to may be the way.
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

/** Names every group of states that can be entered again: their tasks begin anew on each return. */
export const loops: PlanRule = ({ definition, options, report }) => {
  const { byId, targets } = planGraph(definition);
  const ids = definition.states.map(({ id }) => id);
  // A loop that never ends is reported as that.
  const endless = options.idleTurnLimit === undefined ? loopsWithoutEnd(definition).flat() : [];
  for (const group of loopsOf(ids, targets)) {
    if (group.length === 1) continue; // A transition to itself is reported where it stands.
    if (group.some((id) => endless.includes(id))) continue;
    report(loop(group), byId.get(group[0]!)!.at);
  }
};

/** Session fields are unique, and a select has something to select, its default among it. */
export const sessionFields: PlanRule = ({ definition, report }) => {
  const seen = new Set<string>();
  for (const { id, type, options, default_value: value, at } of definition.session_context) {
    if (seen.has(id)) report(duplicateField(id), [...at, 'id']);
    seen.add(id);
    if (reservedIds.includes(id)) report(reservedId('id of a session field', id), [...at, 'id']);
    if (type !== 'select') continue;
    if (options.length === 0) report(selectWithoutOptions(id), at, { about: [[...at, 'options']] });
    else if (value !== undefined && value !== '' && !options.includes(value as string)) {
      const possible = `one of ${options.map((option) => `"${option}"`).join(', ')}`;
      report(impossibleDefault(id, JSON.stringify(value), possible), [...at, 'default_value']);
    }
  }
};
