import { end, type Plan, type State } from './definition.ts';

/** The states of a plan and where each leads; targets that do not exist are left out. */
export interface PlanGraph {
  readonly byId: ReadonlyMap<string, State>;
  /** Ids of the states a state leads to, `__end__` among them. */
  readonly targets: (id: string) => readonly string[];
}

export function planGraph(plan: Plan): PlanGraph {
  const byId = new Map(plan.states.map((state) => [state.id, state]));
  const targets = new Map(
    plan.states.map((state) => [
      state.id,
      [...new Set(state.transitions.map((transition) => transition.target_state_id))].filter(
        (target) => target === end || byId.has(target),
      ),
    ]),
  );
  return { byId, targets: (id) => targets.get(id) ?? [] };
}
