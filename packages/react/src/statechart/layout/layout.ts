import type { DrawnEdge, Drawing } from '@dramaturg/compiler';
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { askElk } from './elk.ts';
import { type Grid, gridOf } from './grid.ts';
import type { Box, PlacedDrawing, PlacedEdge, PlacedNode, Point } from './placed.ts';
import { labelSize, sizeOf } from './size-of.ts';
import { dot, gap, innerPadding } from './sizes.ts';
import { type Branch, treeOf } from './tree.ts';

export interface LayoutOptions {
  /** Top to bottom, or left to right. `TB` by default. */
  readonly direction?: 'TB' | 'LR';
}

const root = 'root';

/** Computes the layout of a drawing. The same drawing has the same layout everywhere. */
export async function layOut(
  drawing: Drawing,
  { direction = 'TB' }: LayoutOptions = {},
): Promise<PlacedDrawing> {
  const branches = treeOf(drawing);
  const grids = new Map<string, Grid>();
  const groups = groupsOf(drawing.edges);
  const edges = [
    ...initialEdges(undefined, branches),
    ...Array.from(groups, ([id, group]) => elkEdge(id, group)),
  ];
  const graph: ElkNode = {
    id: root,
    layoutOptions: optionsFor(direction),
    children: childrenOf(undefined, branches, grids, edges),
    edges,
  };
  return placed(await askElk(graph), drawing, grids, groups);
}

function optionsFor(direction: 'TB' | 'LR'): Record<string, string> {
  return {
    'elk.algorithm': 'layered',
    'elk.direction': direction === 'TB' ? 'DOWN' : 'RIGHT',
    'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
    'elk.edgeRouting': 'ORTHOGONAL',
    'elk.json.edgeCoords': 'ROOT',
    'elk.json.shapeCoords': 'PARENT',
    'elk.spacing.nodeNode': '32',
    'elk.spacing.edgeNode': '18',
    'elk.spacing.edgeEdge': '14',
    'elk.spacing.edgeLabel': '4',
    'elk.spacing.labelLabel': '6',
    'elk.spacing.labelNode': '8',
    'elk.layered.spacing.nodeNodeBetweenLayers': '34',
    'elk.layered.spacing.edgeNodeBetweenLayers': '18',
    'elk.layered.spacing.edgeEdgeBetweenLayers': '14',
    'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
    'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
    'elk.layered.edgeLabels.sideSelection': 'ALWAYS_DOWN',
    'elk.padding': '[top=24,left=24,bottom=24,right=24]',
  };
}

function childrenOf(
  parent: Branch | undefined,
  branches: readonly Branch[],
  grids: Map<string, Grid>,
  edges: ElkExtendedEdge[],
): ElkNode[] {
  const children = branches.map((branch): ElkNode => {
    const { id } = branch.drawn;
    const grid = gridOf(branch);
    if (grid) {
      grids.set(id, grid);
      return { id, width: grid.width, height: grid.height };
    }
    const { width, height } = sizeOf(branch.drawn);
    edges.push(...initialEdges(branch, branch.children));
    return {
      id,
      layoutOptions: {
        'elk.padding': `[top=${height + gap},left=${innerPadding},bottom=${innerPadding},right=${innerPadding}]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${width},${height})`,
      },
      children: childrenOf(branch, branch.children, grids, edges),
    };
  });
  const hasDot = firstOf(parent, branches) !== undefined;
  return hasDot ? [{ id: dotIn(parent), width: dot, height: dot }, ...children] : children;
}

/** The arrow from a dot to the state that is entered first. */
function initialEdges(parent: Branch | undefined, branches: readonly Branch[]): ElkExtendedEdge[] {
  const first = firstOf(parent, branches);
  if (!first) return [];
  const from = dotIn(parent);
  return [{ id: `${from}:edge`, sources: [from], targets: [first.drawn.id] }];
}

function firstOf(parent: Branch | undefined, branches: readonly Branch[]): Branch | undefined {
  if (parent?.drawn.kind === 'parallel') return undefined;
  return branches.find(({ drawn }) => drawn.initial);
}

function dotIn(parent: Branch | undefined): string {
  return `${parent?.drawn.id ?? root}:initial`;
}

/** Groups arrows by source and target: each group is drawn as one. */
function groupsOf(edges: readonly DrawnEdge[]): ReadonlyMap<string, readonly DrawnEdge[]> {
  const byEnds = new Map<string, DrawnEdge[]>();
  for (const edge of edges) {
    const ends = JSON.stringify([edge.source, edge.target]);
    byEnds.set(ends, [...(byEnds.get(ends) ?? []), edge]);
  }
  return new Map([...byEnds.values()].map((group) => [group[0]!.id, group]));
}

function elkEdge(id: string, group: readonly DrawnEdge[]): ElkExtendedEdge {
  const { source, target } = group[0]!;
  const label = labelSize(group);
  return {
    id,
    sources: [source],
    targets: [target],
    ...(label
      ? {
          labels: [
            {
              id: `${id}:label`,
              text: label.lines.join('\n'),
              width: label.width,
              height: label.height,
            },
          ],
        }
      : {}),
  };
}

/** Translates ELK's result to the drawing. */
function placed(
  graph: ElkNode,
  drawing: Drawing,
  grids: ReadonlyMap<string, Grid>,
  groups: ReadonlyMap<string, readonly DrawnEdge[]>,
): PlacedDrawing {
  const drawnNodes = new Map(drawing.nodes.map((node) => [node.id, node]));
  const boxes = new Map<string, Box>();
  const dots: PlacedNode[] = [];
  const visit = (node: ElkNode, parent: string | undefined, from: Point): void => {
    const { id, x = 0, y = 0, width = 0, height = 0, children = [] } = node;
    const box = { x: from.x + x, y: from.y + y, width, height };
    if (!drawnNodes.has(id)) {
      dots.push({ id, ...(parent === undefined ? {} : { parent }), box, lines: [], header: 0 });
      return;
    }
    boxes.set(id, box);
    for (const [inner, place] of grids.get(id)?.boxes ?? [])
      boxes.set(inner, { ...place, x: box.x + place.x, y: box.y + place.y });
    for (const child of children) visit(child, id, box);
  };
  for (const child of graph.children ?? []) visit(child, undefined, { x: 0, y: 0 });

  const parents = new Set(drawing.nodes.map(({ parent }) => parent));
  const nodes = drawing.nodes.map((drawn): PlacedNode => {
    const { id, parent } = drawn;
    const { lines, height } = sizeOf(drawn);
    const header = parents.has(id) ? height : 0;
    return {
      drawn,
      id,
      ...(parent === undefined ? {} : { parent }),
      box: boxes.get(id)!,
      lines,
      header,
    };
  });
  const edges = (graph.edges ?? []).map((edge) => placedEdge(edge, groups.get(edge.id) ?? []));
  const { width = 0, height = 0 } = graph;
  return { width, height, nodes: [...nodes, ...dots], edges };
}

function placedEdge(edge: ElkExtendedEdge, drawn: readonly DrawnEdge[]): PlacedEdge {
  const { id, sources, targets, sections = [], labels: [label] = [] } = edge;
  const { x = 0, y = 0, width = 0, height = 0 } = label ?? {};
  return {
    drawn,
    id,
    source: sources[0]!,
    target: targets[0]!,
    points: sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [
      startPoint,
      ...bendPoints,
      endPoint,
    ]),
    ...(label ? { label: { lines: labelSize(drawn)!.lines, box: { x, y, width, height } } } : {}),
  };
}
