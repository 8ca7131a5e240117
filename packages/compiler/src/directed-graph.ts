/** Algorithms on directed graphs of names. */

/** Everything that can be reached from the given nodes, themselves included. */
export function reachableFrom(
  starts: Iterable<string>,
  next: (id: string) => Iterable<string>,
): Set<string> {
  const reached = new Set(starts);
  for (const id of reached) for (const target of next(id)) reached.add(target);
  return reached;
}

/** The edges of a graph in the other direction. */
export function sourcesOf(
  ids: Iterable<string>,
  next: (id: string) => Iterable<string>,
): (id: string) => readonly string[] {
  const sources = new Map<string, string[]>();
  for (const id of ids)
    for (const target of next(id)) {
      const known = sources.get(target);
      if (known) known.push(id);
      else sources.set(target, [id]);
    }
  return (id) => sources.get(id) ?? [];
}

/**
 * The loops of a graph: strongly connected components with more than one state or with a transition to itself (Tarjan's
 * algorithm, with a stack of its own because plans may be longer than the call stack).
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

/**
 * The fewest of the given nodes from which all of them are reached; of a circle, its first. Among unreachable states, these are
 * the ones to mend.
 */
export function rootsOf(ids: readonly string[], next: (id: string) => readonly string[]): string[] {
  const own = new Set(ids);
  const targetsInside = (id: string) => next(id).filter((target) => own.has(target));
  const groupOf = new Map(ids.map((id) => [id, id]));
  for (const loop of loopsOf(ids, targetsInside)) for (const id of loop) groupOf.set(id, loop[0]!);
  const entered = new Set<string>();
  for (const id of ids)
    for (const target of targetsInside(id))
      if (groupOf.get(target) !== groupOf.get(id)) entered.add(groupOf.get(target)!);
  return [...new Set(groupOf.values())].filter((id) => !entered.has(id));
}
