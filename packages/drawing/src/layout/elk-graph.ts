import type { Drawing, DrawnEdge, DrawnNode } from '@dramaturg/compiler/chart';
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { lookOf } from '../kinds/kinds.ts';
import type { Box } from './placed.ts';
import { labelSize, sizeOf } from './size-of.ts';
import { dot, gap, innerPadding } from './sizes.ts';

/** A drawing as the layout engine reads it. */
export interface ElkGraph {
  readonly graph: ElkNode;
  /** The insides of nodes that are laid out here and not by ELK, by the id of the node. */
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
  /** Leaves out our handling of loops and shared exits, for comparisons. */
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

/** The data collected while the nodes are visited. */
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
    // ELK turns a drawing from top to bottom on its side, but does not turn this size.
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
    id: dotIn(parent?.drawn.id),
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
  const from = dotIn(parent?.drawn.id);
  return [{ id: `${from}:edge`, sources: [from], targets: [first.drawn.id] }];
}

function firstOf(parent: Branch | undefined, branches: readonly Branch[]): Branch | undefined {
  if (parent?.drawn.kind === 'parallel') return undefined;
  return branches.find(({ drawn }) => drawn.initial);
}

function dotIn(parent: string | undefined): string {
  return `${parent ?? root}:initial`;
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
  // The label is on its line, so that nobody can read it as the label of another arrow.
  const layoutOptions = { 'elk.edgeLabels.inline': 'true', 'elk.edgeLabels.placement': 'CENTER' };
  const text = lines.join('\n');
  return { ...edge, labels: [{ id: `${id}:label`, text, width, height, layoutOptions }] };
}

const suffix = ':after';

/**
 * Arrows for the layout engine alone. The node of a shared exit, and the nodes that only this exit leads to, have no other
 * connections, so the engine would put them at the beginning. These arrows put them after the states that share the exit. Parent states
 * that no arrow leads to, such as scenarios that the host chooses, begin next to the first one.
 */
function hintsFor({ nodes, edges }: Drawing): ElkExtendedEdge[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Set(nodes.map(({ parent }) => parent));
  const reached = new Set(edges.flatMap((edge) => siblings(byId, edge)));
  const apart = nodes.flatMap((node) => {
    const { id, parent, initial } = node;
    const first = nodes.find((other) => other.initial && other.parent === parent);
    if (initial || !first || !parents.has(id) || reached.has(node)) return [];
    if (byId.get(parent ?? '')?.kind === 'parallel') return [];
    const from = dotIn(parent);
    return [{ id: `${from}:${id}${suffix}`, sources: [from], targets: [id] }];
  });
  const exits = edges.flatMap(({ source, target, sources = [] }) => {
    const exit = byId.get(source)!;
    if (exit.kind !== 'anywhere') return [];
    const isReached = edges.some(
      (other) => other.target === target && byId.get(other.source)!.kind !== 'anywhere',
    );
    if (isReached) return [];
    const before =
      siblingAround(byId, sources[0], exit) ??
      nodes.find(({ parent, initial }) => initial && parent === exit.parent);
    if (!before || before.id === target) return [];
    return [{ id: `${source}${suffix}`, sources: [before.id], targets: [source] }];
  });
  return [...apart, ...exits];
}

export function isHint({ id }: ElkExtendedEdge): boolean {
  return id.endsWith(suffix);
}

/** The sibling of a node that is, or contains, another node. */
function siblingAround(
  byId: ReadonlyMap<string, DrawnNode>,
  id: string | undefined,
  { parent }: DrawnNode,
): DrawnNode | undefined {
  let at = byId.get(id ?? '');
  while (at !== undefined && at.parent !== parent) at = byId.get(at.parent ?? '');
  return at;
}

/**
 * The arrows that lead back to an earlier state, found by walking from the beginning along the arrows in the author's order.
 * Without them there are no cycles, so all other arrows can lead in one direction.
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

/** The layout of a node without arrows inside: sequential nodes in a column, parallel ones in rows. */
interface Grid {
  readonly width: number;
  readonly height: number;
  /** All descendants, relative to the corner of this node. */
  readonly boxes: ReadonlyMap<string, Box>;
  /** The number of a task among the tasks that are done in order, from 1. */
  readonly steps: ReadonlyMap<string, number>;
  /** Pairs of consecutive tasks. */
  readonly sequence: readonly (readonly [before: string, after: string])[];
}

/** The grid of a node without arrows inside; undefined for a node that needs a layout. */
function gridOf(branch: Branch): Grid | undefined {
  const { drawn, children } = branch;
  if (children.some(({ isConnected }) => isConnected)) return undefined;
  const own = sizeOf(drawn, children.length > 0);
  const steps = new Map<string, number>();
  const sequence: (readonly [string, string])[] = [];
  const boxes = new Map<string, Box>();
  if (children.length === 0)
    return { width: own.width, height: own.height, boxes, steps, sequence };

  const grids = children.map((child) => ({ id: child.drawn.id, ...gridOf(child)! }));
  const isOrdered = lookOf(drawn).isOrdered === true;
  const columns = drawn.kind === 'parallel' && !isOrdered ? columnsFor(grids.length) : 1;
  const width = Math.max(...grids.map((grid) => grid.width));
  let top = own.height + gap / 2;
  for (let start = 0; start < grids.length; start += columns) {
    const row = grids.slice(start, start + columns);
    const height = Math.max(...row.map((grid) => grid.height));
    for (const [column, grid] of row.entries()) {
      const x = innerPadding + column * (width + gap);
      boxes.set(grid.id, { x, y: top, width, height });
      for (const [id, box] of grid.boxes) boxes.set(id, { ...box, x: x + box.x, y: top + box.y });
      for (const [id, step] of grid.steps) steps.set(id, step);
      sequence.push(...grid.sequence);
    }
    top += height + gap;
  }
  for (const [index, { id }] of grids.entries()) {
    if (!isOrdered) break;
    steps.set(id, index + 1);
    const after = grids[index + 1];
    if (after && drawn.kind !== 'parallel') sequence.push([id, after.id]);
  }
  const used = Math.min(columns, grids.length);
  return {
    width: Math.max(own.width, 2 * innerPadding + used * width + (used - 1) * gap),
    height: top - gap + innerPadding,
    boxes,
    steps,
    sequence,
  };
}

/** At most three columns: wider states would make the whole chart small. */
function columnsFor(count: number): number {
  return Math.min(3, Math.ceil(Math.sqrt(count)));
}

/** A node with its children. */
interface Branch {
  readonly drawn: DrawnNode;
  readonly children: readonly Branch[];
  /** Arrows begin or end at it or inside it, so the layout engine places it. */
  readonly isConnected: boolean;
}

/** The outermost nodes of a drawing. */
function treeOf({ nodes, edges }: Drawing): Branch[] {
  const ends = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const inside = new Map<string | undefined, DrawnNode[]>();
  for (const node of nodes) {
    const others = inside.get(node.parent);
    if (others) others.push(node);
    else inside.set(node.parent, [node]);
  }
  const branch = (drawn: DrawnNode): Branch => {
    const children = (inside.get(drawn.id) ?? []).map(branch);
    const isConnected = ends.has(drawn.id) || children.some((child) => child.isConnected);
    return { drawn, children, isConnected };
  };
  return (inside.get(undefined) ?? []).map(branch);
}
