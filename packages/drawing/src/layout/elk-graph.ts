import type { DrawnEdge, Drawing } from '@dramaturg/compiler/chart';
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { backEdges } from './back-edges.ts';
import { type Grid, gridOf } from './grid.ts';
import { hintsFor } from './hints.ts';
import { labelSize, sizeOf } from './size-of.ts';
import { dot, gap, innerPadding } from './sizes.ts';
import { type Branch, treeOf } from './tree.ts';

/** A drawing as the layout engine reads it. */
export interface ElkGraph {
  readonly graph: ElkNode;
  /** The insides that we lay out, by the id of their node. */
  readonly grids: ReadonlyMap<string, Grid>;
  /** The arrows that are drawn as one, by the id of the first. */
  readonly groups: ReadonlyMap<string, readonly DrawnEdge[]>;
  /** The arrows that the layout engine reads from their target to their source, by id. */
  readonly turned: ReadonlySet<string>;
}

export interface ElkQuestion {
  readonly direction: 'TB' | 'LR';
  readonly options: Readonly<Record<string, string>>;
  /** The least widths of parent states, in pixels, by id. */
  readonly widths: ReadonlyMap<string, number>;
  /** Without our help with loops and with shared exits: to compare with. */
  readonly isPlain?: boolean;
}

const root = 'root';

export function elkGraph(
  drawing: Drawing,
  { direction, options, widths, isPlain = false }: ElkQuestion,
): ElkGraph {
  const branches = treeOf(drawing);
  const grids = new Map<string, Grid>();
  const groups = groupsOf(drawing.edges);
  const back = isPlain ? new Set() : backEdges(drawing);
  const turned = new Set([...groups].flatMap(([id, [first]]) => (back.has(first!) ? id : [])));
  const edges = [
    ...initialEdges(undefined, branches),
    ...Array.from(groups, ([id, group]) => elkEdge(id, group, turned.has(id))),
    ...(isPlain ? [] : hintsFor(drawing)),
  ];
  const children = childrenOf({ direction, widths, grids, edges }, undefined, branches);
  const graph = { id: root, layoutOptions: { ...options }, children, edges };
  return { graph, grids, groups, turned };
}

/** What is collected while the nodes are visited. */
interface Found extends Pick<ElkQuestion, 'direction' | 'widths'> {
  readonly grids: Map<string, Grid>;
  readonly edges: ElkExtendedEdge[];
}

function childrenOf(
  found: Found,
  parent: Branch | undefined,
  branches: readonly Branch[],
): ElkNode[] {
  const { direction, widths, grids, edges } = found;
  const children = branches.map((branch): ElkNode => {
    const { id } = branch.drawn;
    const grid = gridOf(branch);
    if (grid) {
      grids.set(id, grid);
      return { id, width: grid.width, height: grid.height };
    }
    const { width: own, height } = sizeOf(branch.drawn, true);
    const width = Math.max(own, widths.get(id) ?? 0);
    edges.push(...initialEdges(branch, branch.children));
    // ELK turns a drawing from top to bottom on its side, and forgets to turn this size.
    const minimum = direction === 'TB' ? [height, width] : [width, height];
    return {
      id,
      layoutOptions: {
        'elk.padding': `[top=${height + gap},left=${innerPadding},bottom=${innerPadding},right=${innerPadding}]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${minimum.join(',')})`,
      },
      children: childrenOf(found, branch, branch.children),
    };
  });
  if (firstOf(parent, branches) === undefined) return children;
  const beginning: ElkNode = {
    id: dotIn(parent),
    width: dot,
    height: dot,
    layoutOptions: { 'elk.layered.layering.layerConstraint': 'FIRST' },
  };
  return [beginning, ...children];
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

function elkEdge(id: string, group: readonly DrawnEdge[], isTurned: boolean): ElkExtendedEdge {
  const { source, target } = group[0]!;
  const label = labelSize(group);
  const edge = isTurned
    ? { id, sources: [target], targets: [source] }
    : { id, sources: [source], targets: [target] };
  if (!label) return edge;
  const { lines, width, height } = label;
  // On its line, so that nobody can read it as the label of another arrow.
  const layoutOptions = { 'elk.edgeLabels.inline': 'true', 'elk.edgeLabels.placement': 'CENTER' };
  const text = lines.join('\n');
  return { ...edge, labels: [{ id: `${id}:label`, text, width, height, layoutOptions }] };
}
