import type { Path } from '@dramaturg/compiler';
import type { Pattern } from '@dramaturg/compiler/format';
import { nearestName } from '@dramaturg/compiler/text';
import { end, restart, type Plan, type State, type Transition } from './definition.ts';
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

/** The places that say which state leads to which. */
export function wiringOf({ statesAt }: Plan): readonly Pattern[] {
  return wiringAt(statesAt);
}

/** The same places, for a plan as authored. */
export function wiringIn(value: unknown): readonly Pattern[] {
  return wiringAt(Array.isArray(value) || isBareState(value) ? [] : ['states']);
}

function wiringAt(statesAt: Path): readonly Pattern[] {
  const targets = ['target_state_id', 'target'].map((field) => ['transitions', '*', field]);
  const fields = [['id'], ['type'], ...targets].map((field) => [...statesAt, '*', ...field]);
  return [['initial_state_id'], ...fields];
}
