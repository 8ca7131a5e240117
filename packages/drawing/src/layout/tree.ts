import type { DrawnNode, Drawing } from '@dramaturg/compiler/chart';

/** A node with its children. */
export interface Branch {
  readonly drawn: DrawnNode;
  readonly children: readonly Branch[];
  /** Arrows begin or end at it or inside it, so the layout engine places it. */
  readonly isConnected: boolean;
}

/** The outermost nodes of a drawing. */
export function treeOf({ nodes, edges }: Drawing): Branch[] {
  const ends = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const inside = new Map<string | undefined, DrawnNode[]>();
  for (const node of nodes) {
    const siblings = inside.get(node.parent);
    if (siblings) siblings.push(node);
    else inside.set(node.parent, [node]);
  }
  const branch = (drawn: DrawnNode): Branch => {
    const children = (inside.get(drawn.id) ?? []).map(branch);
    const isConnected = ends.has(drawn.id) || children.some((child) => child.isConnected);
    return { drawn, children, isConnected };
  };
  return (inside.get(undefined) ?? []).map(branch);
}
