import { once } from '@dramaturg/conversation';
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

export function firstByKey(deliverables: readonly Deliverable[]): Map<string, Deliverable> {
  return new Map(deliverables.toReversed().map((one) => [one.key, one]));
}
