import { loopsOf, reachableFrom, sourcesOf } from '@dramaturg/compiler/chart';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';
import { reportDuplicates } from '@dramaturg/conversation';
import { end, type Plan, reservedIds, restart, type PlanRule } from '../definition.ts';
import { planGraph, unknownFrom } from '../plan-graph.ts';
import { error, info, misread, warning } from '../problems.ts';

const duplicateState = error('duplicate-state', (id: string) => ({
  message: `There is more than one state "${id}".`,
  hint: 'Give each state an id of its own.',
}));

export const reservedId = error('reserved-id', (what: string, id: string) => ({
  message: `"${id}" is a reserved name and cannot be the ${what}.`,
  hint: 'Choose another name.',
}));

/** Reports state ids that are used twice or reserved. */
export const duplicateStates: PlanRule = ({ definition, report }) => {
  const named = definition.states.map(({ id, at }) => ({ name: id, path: [...at, 'id'] }));
  reportDuplicates(named, duplicateState, report);
  for (const { name, path } of named)
    if (reservedIds.includes(name)) report(reservedId('id of a state', name), path);
};

const unknownInitialState = error(
  'unknown-initial-state',
  (id: string, known: readonly string[]) => ({
    message: `The plan begins in the state "${id}", which does not exist.`,
    hint: () =>
      didYouMean(id, known) ?? 'Leave "initial_state_id" out to begin in the first state.',
  }),
);

/** Reports an `initial_state_id` that names no state of the plan. */
export const unknownInitialStates: PlanRule = ({ definition, report }) => {
  const known = definition.states.map(({ id }) => id);
  const { initialAt, initial_state_id: id } = definition;
  if (initialAt && !known.includes(id))
    report(unknownInitialState(id, known), initialAt, unknownFrom(definition, id));
};

const endsHere = info('ends-here', (id: string) => ({
  message: `The state "${id}" has no transitions: the conversation ends when it is complete.`,
}));

const noWayToTheEnd = misread('no-way-to-the-end', (states: readonly string[]) => ({
  message: `From ${quotedList(states)} the conversation can never reach an end.`,
  hint: 'Add a transition towards "__end__" or a state without transitions.',
}));

/** Reports reachable states from which the conversation cannot end, and states in the middle of the list that end it. */
export const missingEnds: PlanRule = ({ definition, options, report }) => {
  const { byId, targets } = planGraph(definition);
  const entered = reachableFrom([definition.initial_state_id], targets);
  const last = definition.states.at(-1);
  for (const state of definition.states)
    if (
      state.transitions.length === 0 &&
      state !== last &&
      entered.has(state.id) &&
      state.id !== ''
    )
      report(endsHere(state.id), state.at);
  // The limit on idle turns ends the conversation in any state.
  if (options.idleTurnLimit !== undefined) return;
  for (const group of loopsWithoutEnd(definition)) {
    const follows = group.map((id) => [...byId.get(id)!.at, 'transitions']);
    report(noWayToTheEnd(group), byId.get(group[0]!)!.at, { about: follows, follows });
  }
};

/** Groups of reachable states that lead only to each other. */
export function loopsWithoutEnd(plan: Plan): string[][] {
  const { byId, targets } = planGraph(plan);
  const entered = reachableFrom([plan.initial_state_id], targets);
  // A transition to an unknown state may have been meant to lead to the end.
  const ends = plan.states.filter(
    ({ transitions }) =>
      transitions.length === 0 ||
      transitions.some(({ target_state_id: to }) => to !== end && !byId.has(to)),
  );
  const ids = plan.states.map(({ id }) => id);
  const canEnd = reachableFrom([end, ...ends.map(({ id }) => id)], sourcesOf(ids, targets));
  const stuck = ids.filter((id) => id !== '' && entered.has(id) && !canEnd.has(id));
  return loopsOf(stuck, targets);
}

const loop = warning('loop', (states: readonly string[]) => ({
  message: `These states lead back to each other: ${quotedList(states)}.`,
  hint: 'Check that this is meant: on each return the tasks start again, and their questions are asked again.',
}));

/** Reports groups of states that lead back to each other: their tasks start again on each return. */
export const stateLoops: PlanRule = ({ definition, options, report }) => {
  // Nothing is known after a restart, so it is not a return.
  const { byId, targets } = planGraph(definition, (one) => one.target_state_id !== restart);
  const ids = definition.states.map(({ id }) => id);
  // `missingEnds` reports a loop that never ends.
  const endless = options.idleTurnLimit === undefined ? loopsWithoutEnd(definition).flat() : [];
  // A transition to its own state has its own finding.
  for (const group of loopsOf(ids, targets))
    if (group.length > 1 && !group.some((id) => endless.includes(id)))
      report(loop(group), byId.get(group[0]!)!.at);
};

const goalOutsideGoalState = misread('goal-outside-goal-state', (state: string) => ({
  message: `The state "${state}" has a goal but is not of type goal, so the goal is ignored.`,
  hint: 'Set "type": "goal".',
}));

const goalWithoutObjective = warning('goal-without-objective', (state: string) => ({
  message: `The goal state "${state}" does not say what its goal is.`,
  hint: 'Add "goal": { "objective": "..." }.',
}));

/** Reports goals outside goal states, and goal states without an objective. Spec: docs/formats/plan.md#goal-states */
export const misplacedGoals: PlanRule = ({ definition, report }) => {
  for (const { id, type, goal, at } of definition.states) {
    const follows = ['type', 'execution_mode'].map((field) => [...at, field]);
    if (goal && type !== 'goal')
      report(goalOutsideGoalState(id), [...at, 'goal'], { at: 'key', follows });
    if (type === 'goal' && !goal?.objective.trim())
      report(goalWithoutObjective(id), at, { about: [[...at, 'goal', 'objective']] });
  }
};
