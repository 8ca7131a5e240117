import type { Deliverable, Plan, State, Task } from './definition.ts';

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

/** Every deliverable of a plan, including those that the plan itself declares. */
export function allDeliverables({ states, deliverables = [] }: Plan): readonly Deliverable[] {
  return [...states.flatMap(deliverablesOf).map(({ deliverable }) => deliverable), ...deliverables];
}

/** The first declaration of each key counts: a key is one value for the whole conversation. */
export function declarations(plan: Plan): ReadonlyMap<string, PlacedDeliverable> {
  const first = new Map<string, PlacedDeliverable>();
  for (const placed of plan.states.flatMap(deliverablesOf)) {
    if (!first.has(placed.deliverable.key)) first.set(placed.deliverable.key, placed);
  }
  return first;
}

/** Finds the declaration of a key for a state: the state's own, else the first one of the plan. */
export type DeclarationFinder = (state: State, key: string) => Deliverable | undefined;

export function declarationFinder(plan: Plan): DeclarationFinder {
  const first = new Map(
    allDeliverables(plan)
      .toReversed()
      .map((one) => [one.key, one]),
  );
  const ofStates = new Map<State, ReadonlyMap<string, Deliverable>>();
  return (state, key) => {
    let own = ofStates.get(state);
    if (!own) {
      const declared = deliverablesOf(state).toReversed();
      own = new Map(declared.map(({ deliverable }) => [deliverable.key, deliverable]));
      ofStates.set(state, own);
    }
    return own.get(key) ?? first.get(key);
  };
}
