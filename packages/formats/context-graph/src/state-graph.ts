import { loopsOf, reachableFrom } from '@dramaturg/compiler/chart';
import type { Pattern } from '@dramaturg/compiler/format';
import { firstBy, once } from '@dramaturg/conversation';
import { type Graph, type State, targetsOf } from './definition.ts';

/** The states of a graph by name; of states with the same name, the first. */
export const statesByName = once(({ states }: Graph): ReadonlyMap<string, State> =>
  firstBy(states, ({ name }) => name),
);

/** Names of the states of the same graph that a state leads to: string targets, and states that calls return to. */
export function nextStates(state: State): string[] {
  return targetsOf(state).flatMap((target) => {
    if (target.kind === 'malformed' || target.kind === 'other') return [];
    return [target.kind === 'state' ? target.state : target.jumpback];
  });
}

/** Names of the states that can be entered, the given ones included. */
export function reachableStates(graph: Graph, entries: readonly string[]): ReadonlySet<string> {
  const byName = statesByName(graph);
  const exists = (name: string) => byName.has(name);
  return reachableFrom(entries.filter(exists), (name) =>
    nextStates(byName.get(name)!).filter(exists),
  );
}

/** The initial states of new and returning users. */
export function initialStates(graph: Graph): string[] {
  return [...new Set([graph.new_user_initial_state, graph.returning_user_initial_state])];
}

/** The cycles of states that the person does not notice. */
export function hiddenCycles(graph: Graph): State[][] {
  const byName = statesByName(graph);
  const isHidden = (name: string) => (byName.get(name)?.type ?? 'action') !== 'action';
  const hiddenTargets = (name: string) =>
    targetsOf(byName.get(name)!).flatMap((target) =>
      target.kind === 'state' && isHidden(target.state) ? [target.state] : [],
    );
  const hidden = [...byName.keys()].filter(isHidden);
  return loopsOf(hidden, hiddenTargets).map((loop) => loop.map((name) => byName.get(name)!));
}

/** Where a state says which states it leads to. */
export const exitFields = ['exit_conditions', 'next_state', 'on_complete'] as const;

/** Where a graph says which state leads to which. */
export const wiring: readonly Pattern[] = [
  ['new_user_initial_state'],
  ['returning_user_initial_state'],
  ['references'],
  ...['name', 'type', ...exitFields].map((field) => ['states', '*', field]),
];
