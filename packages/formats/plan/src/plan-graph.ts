import type { Path } from '@dramaturg/compiler';
import { loopsOf, reachableFrom, sourcesOf } from '@dramaturg/compiler/chart';
import type { Pattern } from '@dramaturg/compiler/format';
import { nearestName } from '@dramaturg/compiler/text';
import { firstBy, once } from '@dramaturg/conversation';
import { withDeclaredValues } from './conditions/condition.ts';
import type { Condition } from './conditions/table.ts';
import {
  type Deliverable,
  end,
  type Plan,
  restart,
  type State,
  type Task,
  type Transition,
} from './definition.ts';
import { isBareState } from './shape.ts';

/**
 * The transitions that are tried in a state, in order: its own and those of the plan, which come first when priorities are equal.
 * A transition of the plan is not tried in its target, where its condition often still holds.
 */
export function transitionsOf({ transitions = [] }: Plan, state: State): readonly Transition[] {
  const shared = transitions.filter(
    ({ except_states, target_state_id }) =>
      target_state_id !== state.id && !except_states.includes(state.id),
  );
  if (shared.length === 0) return state.transitions;
  return [...shared, ...state.transitions].toSorted((a, b) => a.priority - b.priority);
}

/** The targets of a state, including unknown ones. */
export function targetsOf(
  plan: Plan,
  state: State,
  counts: (transition: Transition) => boolean = () => true,
): readonly string[] {
  const targets = transitionsOf(plan, state)
    .filter(counts)
    .map(({ target_state_id: to }) => (to === restart ? plan.initial_state_id : to));
  return [...new Set(targets)];
}

/** The states of a plan and their targets, `__end__` among them; unknown targets are left out. */
export function planGraph(plan: Plan, counts?: (transition: Transition) => boolean) {
  const byId: ReadonlyMap<string, State> = new Map(plan.states.map((state) => [state.id, state]));
  const isKnown = (target: string) => target === end || byId.has(target);
  const targets = new Map(
    plan.states.map((state) => [state.id, targetsOf(plan, state, counts).filter(isKnown)]),
  );
  return { byId, targets: (id: string) => targets.get(id) ?? [] };
}

/** The places that declare the states of a plan: a broken declaration makes the state unknown elsewhere. */
function idsOf({ statesAt }: Plan): readonly Pattern[] {
  return [[...statesAt, '*', 'id']];
}

/** The cause of an unknown state: a broken declaration, unless the name is a misspelling of another state's. */
export function unknownFrom(plan: Plan, id: string): { follows?: readonly Pattern[] } {
  const isSlip = nearestName(id, [...plan.states.map((state) => state.id), end]) !== undefined;
  return isSlip ? {} : { follows: idsOf(plan) };
}

/** The places that say which state leads to which, in a plan as authored. */
export function wiringIn(value: unknown): readonly Pattern[] {
  return wiringAt(Array.isArray(value) || isBareState(value) ? [] : ['states']);
}

/** The same places, by the path of the states. */
export function wiringAt(statesAt: Path): readonly Pattern[] {
  const targets = ['target_state_id', 'target'].map((field) => ['transitions', '*', field]);
  const fields = [['id'], ['type'], ...targets].map((field) => [...statesAt, '*', ...field]);
  return [['initial_state_id'], ...fields];
}

/** A deliverable, the task that collects it (none for a goal's own) and the state it is in. */
export interface PlacedDeliverable {
  readonly deliverable: Deliverable;
  readonly task: Task | undefined;
  readonly state: State;
}

/** Every deliverable a state declares: its tasks' and, in a goal state, its goal's. */
export function deliverablesOf(state: State): PlacedDeliverable[] {
  const ofGoal = state.type === 'goal' ? (state.goal?.deliverables ?? []) : [];
  return [
    ...state.tasks.flatMap((task) =>
      task.deliverables.map((deliverable) => ({ deliverable, task, state })),
    ),
    ...ofGoal.map((deliverable) => ({ deliverable, task: undefined, state })),
  ];
}

export function requiredKeys(deliverables: readonly Deliverable[]): string[] {
  return deliverables.filter(({ required }) => required).map(({ key }) => key);
}

/** Every deliverable of a plan, including those that the plan itself declares. */
export function allDeliverables({ states, deliverables = [] }: Plan): readonly Deliverable[] {
  return [...states.flatMap(deliverablesOf).map(({ deliverable }) => deliverable), ...deliverables];
}

/** Finds the declaration of a key for a state: the state's own, else the first one of the plan. */
export type DeclarationFinder = (state: State, key: string) => Deliverable | undefined;

export function declarationFinder(plan: Plan): DeclarationFinder {
  const first = firstByKey(allDeliverables(plan));
  const ofState = once((state: State) =>
    firstByKey(deliverablesOf(state).map(({ deliverable }) => deliverable)),
  );
  return (state, key) => ofState(state).get(key) ?? first.get(key);
}

export const firstByKey = (deliverables: readonly Deliverable[]): Map<string, Deliverable> =>
  firstBy(deliverables, ({ key }) => key);

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

/** The places that declare the keys of deliverables. */
export function keysOf({ statesAt }: Plan): readonly Pattern[] {
  return [
    ['deliverables', '*', 'key'],
    [...statesAt, '*', 'tasks', '*', 'deliverables', '*', 'key'],
    [...statesAt, '*', 'goal', 'deliverables', '*', 'key'],
  ];
}

export type TypedTransition = Transition & { readonly condition: Condition };

/** The readable transitions of each state. Expected values are converted to the declared type. */
export function typedTransitions(plan: Plan): { state: State; transitions: TypedTransition[] }[] {
  const declarationOf = declarationFinder(plan);
  return plan.states.map((state) => ({
    state,
    transitions: transitionsOf(plan, state).flatMap(({ condition, ...rest }) =>
      condition
        ? { ...rest, condition: withDeclaredValues(condition, (key) => declarationOf(state, key)) }
        : [],
    ),
  }));
}
