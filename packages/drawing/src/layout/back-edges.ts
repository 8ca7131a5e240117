import type { DrawnEdge, DrawnNode, Drawing } from '@dramaturg/compiler/chart';

/**
 * The arrows that lead back to an earlier state, found by walking from the beginning along the arrows in the author's order.
 * Without them nothing is circular, so all other arrows can lead in one direction.
 */
export function backEdges({ nodes, edges }: Drawing): ReadonlySet<DrawnEdge> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found = new Set<DrawnEdge>();
  // An arrow orders the two siblings that contain its ends.
  const steps = new Map<DrawnNode, { readonly edge: DrawnEdge; readonly to: DrawnNode }[]>();
  for (const edge of edges) {
    const [from, to] = siblings(byId, edge);
    if (!from || !to || from === to) continue;
    const known = steps.get(from);
    if (known) known.push({ edge, to });
    else steps.set(from, [{ edge, to }]);
  }
  const done = new Set<DrawnNode>();
  const open = new Set<DrawnNode>();
  const walk = (start: DrawnNode): void => {
    if (done.has(start)) return;
    // Without recursion: a chain of states may be longer than the stack.
    const path = [{ node: start, next: 0 }];
    open.add(start);
    while (path.length > 0) {
      const at = path.at(-1)!;
      const step = steps.get(at.node)?.[at.next];
      at.next += 1;
      if (step === undefined) {
        open.delete(at.node);
        done.add(at.node);
        path.pop();
      } else if (open.has(step.to)) found.add(step.edge);
      else if (!done.has(step.to)) {
        open.add(step.to);
        path.push({ node: step.to, next: 0 });
      }
    }
  };
  for (const node of nodes) if (node.initial) walk(node);
  for (const node of nodes) walk(node);
  return found;
}

/** The ancestors of both ends that have the same parent; undefined when one end contains the other. */
function siblings(
  byId: ReadonlyMap<string, DrawnNode>,
  { source, target }: DrawnEdge,
): readonly (DrawnNode | undefined)[] {
  const before = pathTo(byId, source);
  const after = pathTo(byId, target);
  const at = before.findIndex((node, index) => node !== after[index]);
  return at === -1 ? [] : [before[at], after[at]];
}

/** From the outermost ancestor to the node. */
function pathTo(byId: ReadonlyMap<string, DrawnNode>, id: string): DrawnNode[] {
  const path: DrawnNode[] = [];
  for (let at = byId.get(id); at !== undefined; at = byId.get(at.parent ?? '')) path.unshift(at);
  return path;
}
