import type { Drawing } from '@dramaturg/compiler/chart';
import { root } from './elk-graph.ts';
import type { PlacedDrawing, PlacedEdge, Point } from './placed.ts';
import { sizeOf } from './size-of.ts';

/** The layouts of the insides of states, by the id of the state. */
export type Insides = ReadonlyMap<string, PlacedDrawing>;

/**
 * Divides a drawing: the outermost states with more nodes and arrows inside than `largest`, none of which leads in or out, are drawings of their
 * own. So a long chart inside of a state continues in columns, as other long charts do.
 */
export function divided(
  { title, nodes, edges }: Drawing,
  largest: number,
): { readonly outer: Drawing; readonly inner: ReadonlyMap<string, Drawing> } {
  const inner = new Map<string, Drawing>();
  const taken = new Set<string>();
  for (const { id } of nodes) {
    if (taken.has(id)) continue;
    const inside = new Set<string>();
    for (const { id: child, parent } of nodes)
      if (parent !== undefined && (parent === id || inside.has(parent))) inside.add(child);
    const own = edges.filter(({ source, target }) => inside.has(source) && inside.has(target));
    const touching = edges.filter(({ source, target }) => inside.has(source) || inside.has(target));
    if (inside.size + own.length <= largest || own.length < touching.length) continue;
    const children = nodes.flatMap(({ parent, ...node }) => {
      if (!inside.has(node.id)) return [];
      return parent === undefined || parent === id ? [node] : [{ ...node, parent }];
    });
    inner.set(id, { title, nodes: children, edges: own });
    for (const each of inside) taken.add(each);
  }
  return {
    outer: {
      title,
      nodes: nodes.filter(({ id }) => !taken.has(id)),
      edges: edges.filter(({ source }) => !taken.has(source)),
    },
    inner,
  };
}

/** Puts the insides into their states, below the headers. */
export function withInsides(
  { nodes, edges, ...size }: PlacedDrawing,
  insides: Insides,
): PlacedDrawing {
  const all = [...nodes];
  const arrows = [...edges];
  for (const { id, box, header } of nodes) {
    const inside = insides.get(id);
    if (!inside) continue;
    const moved = <Place extends Point>(place: Place): Place => ({
      ...place,
      x: place.x + box.x,
      y: place.y + box.y + header,
    });
    /** The dot before the first state has the name of what it is in. */
    const named = (name: string) => name.replace(new RegExp(`^${root}:`), () => `${id}:`);
    for (const node of inside.nodes)
      all.push({ parent: id, ...node, id: named(node.id), box: moved(node.box) });
    for (const { points, label, ...edge } of inside.edges)
      arrows.push({
        ...edge,
        id: named(edge.id),
        source: named(edge.source),
        points: points.map(moved),
        ...(label && { label: { ...label, box: moved(label.box) } }),
      } satisfies PlacedEdge);
  }
  return { ...size, nodes: all, edges: arrows };
}

/** The sizes of states around their insides. */
export function sizesAround({ nodes }: Drawing, insides: Insides) {
  return new Map(
    nodes.flatMap((drawn) => {
      const inside = insides.get(drawn.id);
      if (!inside) return [];
      const { width, height } = sizeOf(drawn, true);
      const size = { width: Math.max(width, inside.width), height: height + inside.height };
      return [[drawn.id, size] as const];
    }),
  );
}
