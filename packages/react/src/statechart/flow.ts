import { type Edge, type Node, Position } from '@xyflow/react';
import type { DrawnNode } from '@dramaturg/compiler/chart';
import {
  arrowLight,
  arrowReach,
  type Light,
  type Marks,
  type PlacedDrawing,
  type PlacedEdge,
  type PlacedNode,
  type Reach,
} from '@dramaturg/drawing';
import type { RunMarks } from './run-marks.ts';

type StateData = {
  readonly placed: PlacedNode;
  readonly drawn: DrawnNode;
  readonly light: Light;
  readonly progress: string | undefined;
  readonly reach: Reach | undefined;
  readonly isRegion: boolean;
  readonly isSelected: boolean;
};
export type StateFlowNode = Node<StateData, 'state'>;
export type DotFlowNode = Node<Record<string, never>, 'dot'>;
type ArrowData = {
  readonly placed: PlacedEdge;
  readonly light: 'visited' | 'next' | 'off';
  readonly reach: Reach | undefined;
  readonly isHighlighted: boolean;
};
export type ArrowFlowEdge = Edge<ArrowData, 'arrow'>;

export interface Chosen {
  readonly selected: string | undefined;
  /** The state in the tab order of the page. */
  readonly focusable: string | undefined;
  readonly highlighted: ReadonlySet<string>;
}

/**
 * Arrows use the points of the layout, so the positions of handles do not matter. But without handles, React Flow measures them
 * after each change of a node, and draws no arrows until then. If changes keep coming before it has measured, arrows never
 * appear.
 */
const handles: NonNullable<Node['handles']> = (['source', 'target'] as const).map((type) => ({
  type,
  position: type === 'source' ? Position.Bottom : Position.Top,
  x: 0,
  y: 0,
}));

/** A placed drawing as React Flow nodes: positions are relative to the parent node. */
export function flowNodes(
  { nodes }: PlacedDrawing,
  { lights, progress, coverage }: RunMarks,
  { selected, focusable, highlighted }: Chosen,
): (StateFlowNode | DotFlowNode)[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return nodes.map((placed) => {
    const { id, parent, box, drawn } = placed;
    const outer = parent === undefined ? undefined : byId.get(parent);
    const common = {
      id,
      position: { x: box.x - (outer?.box.x ?? 0), y: box.y - (outer?.box.y ?? 0) },
      width: box.width,
      height: box.height,
      zIndex: depthOf(placed, byId),
      handles,
      ...(parent === undefined ? {} : { parentId: parent }),
    };
    if (!drawn) return { ...common, type: 'dot', data: {}, focusable: false };
    return {
      ...common,
      type: 'state',
      ariaRole: 'button',
      // One stop in the tab order: arrow keys lead on from there.
      domAttributes: { tabIndex: id === focusable ? 0 : -1 },
      data: {
        placed,
        drawn,
        light: lights.get(id) ?? 'off',
        progress: progress.get(id),
        reach: coverage?.get(id),
        isRegion: outer?.drawn?.kind === 'parallel',
        isSelected: id === selected || highlighted.has(id),
      },
    };
  });
}

export function flowEdges(
  { edges }: PlacedDrawing,
  marks: Marks,
  highlighted: ReadonlySet<string>,
): ArrowFlowEdge[] {
  return edges.map((placed) => {
    const isHighlighted = isArrowIn(placed, highlighted);
    return {
      id: placed.id,
      type: 'arrow',
      source: placed.source,
      target: placed.target,
      zIndex: isHighlighted ? 101 : 100,
      focusable: false,
      selectable: false,
      data: {
        placed,
        light: arrowLight(placed, marks),
        reach: arrowReach(placed, marks),
        isHighlighted,
      },
    };
  });
}

/** Whether an arrow has one of the ids. It may represent several arrows of the chart. */
export function isArrowIn({ id, drawn }: PlacedEdge, ids: ReadonlySet<string>): boolean {
  return ids.has(id) || drawn.some((edge) => ids.has(edge.id));
}

function depthOf(node: PlacedNode, byId: ReadonlyMap<string, PlacedNode>): number {
  let depth = 0;
  for (let at = node; at.parent !== undefined; at = byId.get(at.parent)!) depth += 1;
  return depth;
}
