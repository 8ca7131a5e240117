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

/** Everything that can be reached from the given nodes, themselves included. */
export function reachableFrom(
  starts: Iterable<string>,
  next: (id: string) => Iterable<string>,
): Set<string> {
  const reached = new Set(starts);
  for (const id of reached) for (const target of next(id)) reached.add(target);
  return reached;
}

/**
 * The groups of states that lead back into themselves: strongly connected components with more than one state or with a
 * transition to itself (Tarjan's algorithm, with a stack of its own because plans may be longer than the call stack).
 *
 * @returns each group in the order of the given ids
 */
export function loopsOf(
  ids: readonly string[],
  next: (id: string) => readonly string[],
): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const loops: string[][] = [];
  for (const start of ids) {
    if (order.has(start)) continue;
    const path: { id: string; targets: readonly string[]; at: number }[] = [];
    const enter = (id: string) => {
      order.set(id, order.size);
      lowest.set(id, order.get(id)!);
      open.push(id);
      isOpen.add(id);
      path.push({ id, targets: next(id), at: 0 });
    };
    enter(start);
    while (path.length > 0) {
      const top = path.at(-1)!;
      const target = top.targets[top.at];
      top.at += 1;
      if (target === undefined) {
        path.pop();
        const parent = path.at(-1);
        if (parent) lowest.set(parent.id, Math.min(lowest.get(parent.id)!, lowest.get(top.id)!));
        if (lowest.get(top.id) === order.get(top.id)) {
          const group = open.splice(open.lastIndexOf(top.id));
          for (const id of group) isOpen.delete(id);
          if (group.length > 1 || top.targets.includes(top.id)) loops.push(group);
        }
      } else if (!order.has(target)) {
        enter(target);
      } else if (isOpen.has(target)) {
        lowest.set(top.id, Math.min(lowest.get(top.id)!, order.get(target)!));
      }
    }
  }
  const position = new Map(ids.map((id, index) => [id, index]));
  return loops.map((group) => group.toSorted((a, b) => position.get(a)! - position.get(b)!));
}
