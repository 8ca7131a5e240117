import type { Edge, Node } from '@xyflow/react';
import type { DrawnNode } from '@dramaturg/compiler';
import type { Light } from './lit.ts';
import type { PlacedDrawing, PlacedEdge, PlacedNode } from './layout/placed.ts';

type StateData = {
  readonly drawn: DrawnNode;
  readonly lines: readonly string[];
  readonly header: number;
  readonly light: Light;
  readonly isRegion: boolean;
  readonly isSelected: boolean;
};
export type StateFlowNode = Node<StateData, 'state'>;
export type DotFlowNode = Node<Record<string, never>, 'dot'>;
type ArrowData = { readonly placed: PlacedEdge; readonly light: Light };
export type ArrowFlowEdge = Edge<ArrowData, 'arrow'>;

/** A placed drawing as React Flow nodes: positions are relative to the parent node. */
export function flowNodes(
  { nodes }: PlacedDrawing,
  lights: ReadonlyMap<string, Light>,
  selected: string | undefined,
): (StateFlowNode | DotFlowNode)[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return nodes.map((placed) => {
    const { id, parent, box, drawn, lines, header } = placed;
    const outer = parent === undefined ? undefined : byId.get(parent);
    const common = {
      id,
      position: { x: box.x - (outer?.box.x ?? 0), y: box.y - (outer?.box.y ?? 0) },
      width: box.width,
      height: box.height,
      zIndex: depthOf(placed, byId),
      ...(parent === undefined ? {} : { parentId: parent }),
    };
    if (!drawn) return { ...common, type: 'dot', data: {}, focusable: false };
    const light = lights.get(id) ?? 'off';
    return {
      ...common,
      type: 'state',
      ariaRole: 'button',
      data: {
        drawn,
        lines,
        header,
        light,
        isRegion: outer?.drawn?.kind === 'parallel',
        isSelected: id === selected,
      },
    };
  });
}

export function flowEdges(
  { edges }: PlacedDrawing,
  lights: ReadonlyMap<string, Light>,
): ArrowFlowEdge[] {
  return edges.map((placed) => ({
    id: placed.id,
    type: 'arrow',
    source: placed.source,
    target: placed.target,
    zIndex: 100,
    focusable: false,
    selectable: false,
    data: { placed, light: lights.get(placed.source) ?? 'off' },
  }));
}

function depthOf(node: PlacedNode, byId: ReadonlyMap<string, PlacedNode>): number {
  let depth = 0;
  for (let at = node; at.parent !== undefined; at = byId.get(at.parent)!) depth += 1;
  return depth;
}
