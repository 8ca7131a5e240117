import type { DrawnEdge, Drawing } from '@dramaturg/compiler/chart';
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js';
import { measuresOf, widthsForTitles, withFreeTitles } from '../measures/measures.ts';
import { inColumns } from './columns.ts';
import { elkGraph, type ElkGraph, isHint } from './elk-graph.ts';
import { askElk } from './elk.ts';
import type { Box, PlacedDrawing, PlacedEdge, PlacedNode, Point } from './placed.ts';
import { labelSize, sizeOf } from './size-of.ts';

export interface LayoutOptions {
  /** Top to bottom, or left to right. `TB` by default. */
  readonly direction?: 'TB' | 'LR';
  /** Options of ELK that replace all of our own, for comparisons. */
  readonly engine?: ElkOptions;
}

/** Computes the layout of a drawing. The same drawing has the same layout everywhere. */
export async function layOut(
  drawing: Drawing,
  { direction = 'TB', engine }: LayoutOptions = {},
): Promise<PlacedDrawing> {
  let best: { readonly layout: PlacedDrawing; readonly faults: number } | undefined;
  /** Widths that make room for titles next to the arrows that enter their states. */
  let widths: ReadonlyMap<string, number> = new Map();
  const size = drawing.nodes.length + drawing.edges.length;
  for (const options of engine ? [engine] : elkAttempts(direction, size)) {
    const asked = elkGraph(drawing, { direction, options, widths, isPlain: engine !== undefined });
    const layout = withFreeTitles(placed(drawing, { ...asked, graph: await askElk(asked.graph) }));
    widths = widthsForTitles(layout, widths);
    const { crossings, throughBoxes, strayLabels } = measuresOf(layout, direction);
    const faults = crossings + throughBoxes + strayLabels;
    if (best === undefined || faults < best.faults) best = { layout, faults };
    if (faults === 0) break;
  }
  return direction === 'TB' && !engine ? inColumns(best!.layout) : best!.layout;
}

/** Converts ELK's result to a placed drawing. */
function placed(drawing: Drawing, { graph, grids, groups, turned }: ElkGraph): PlacedDrawing {
  const drawnIds = new Set(drawing.nodes.map(({ id }) => id));
  const boxes = new Map<string, Box>();
  const steps = new Map<string, number>();
  const dots: PlacedNode[] = [];
  const inner: PlacedEdge[] = [];
  const visit = (node: ElkNode, parent: string | undefined, from: Point): void => {
    const { id, x = 0, y = 0, width = 0, height = 0, children = [] } = node;
    const box = { x: from.x + x, y: from.y + y, width, height };
    if (!drawnIds.has(id)) {
      dots.push({
        id,
        ...(parent === undefined ? {} : { parent }),
        box,
        lines: [],
        text: { x: 0, y: 0 },
        header: 0,
      });
      return;
    }
    boxes.set(id, box);
    const grid = grids.get(id);
    for (const [at, place] of grid?.boxes ?? [])
      boxes.set(at, { ...place, x: box.x + place.x, y: box.y + place.y });
    for (const [at, step] of grid?.steps ?? []) steps.set(at, step);
    for (const [source, target] of grid?.sequence ?? [])
      inner.push(nextStep(source, target, boxes));
    for (const child of children) visit(child, id, box);
  };
  for (const child of graph.children ?? []) visit(child, undefined, { x: 0, y: 0 });

  const parents = new Set(drawing.nodes.map(({ parent }) => parent));
  const nodes = drawing.nodes.map((drawn): PlacedNode => {
    const { id, parent } = drawn;
    const { lines, height, text } = sizeOf(drawn, parents.has(id));
    const step = steps.get(id);
    return {
      drawn,
      id,
      ...(parent === undefined ? {} : { parent }),
      box: boxes.get(id)!,
      lines,
      text,
      header: parents.has(id) ? height : 0,
      ...(step === undefined ? {} : { step }),
    };
  });
  const edges = (graph.edges ?? []).flatMap((edge) => {
    if (isHint(edge)) return [];
    const found = placedEdge(edge, groups.get(edge.id) ?? []);
    if (!turned.has(edge.id)) return found;
    const { source, target, points } = found;
    return { ...found, source: target, target: source, points: points.toReversed() };
  });
  const { width = 0, height = 0 } = graph;
  return { width, height, nodes: [...nodes, ...dots], edges: [...edges, ...inner] };
}

/** The arrow between two tasks that are done in order. */
function nextStep(source: string, target: string, boxes: ReadonlyMap<string, Box>): PlacedEdge {
  const [from, to] = [boxes.get(source)!, boxes.get(target)!];
  const x = from.x + from.width / 2;
  const points = [
    { x, y: from.y + from.height },
    { x, y: to.y },
  ];
  return { drawn: [], id: `${source}:next`, source, target, points };
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

type ElkOptions = Readonly<Record<string, string>>;

/** The largest numbers of nodes and arrows for which four layouts are tried, and two. ELK takes seconds for larger drawings. */
const mediumSize = 80;
const largeSize = 300;

/**
 * The options to try, in this order: branches in the author's order, then any order, for a drawing in which the author's
 * order makes arrows cross.
 *
 * @param size the number of nodes and arrows
 */
function elkAttempts(direction: 'TB' | 'LR', size: number): readonly ElkOptions[] {
  // Network simplex makes straighter lines, but takes most of the time for larger drawings.
  const placement = size > mediumSize ? 'BRANDES_KOEPF' : 'NETWORK_SIMPLEX';
  const options = {
    ...elkOptions(direction),
    'elk.layered.nodePlacement.strategy': placement,
  };
  const order = 'elk.layered.considerModelOrder.strategy';
  const authored = { ...options, [order]: 'PREFER_EDGES' };
  if (size > largeSize) return [authored];
  const free = { ...options, [order]: 'NONE' };
  if (size > mediumSize) return [authored, free];
  return [authored, free, { ...free, 'elk.randomSeed': '7' }, { ...free, 'elk.randomSeed': '11' }];
}

/** See https://eclipse.dev/elk/reference/options.html */
function elkOptions(direction: 'TB' | 'LR'): ElkOptions {
  return {
    ...elkDefaults(direction),
    'elk.edgeRouting': 'ORTHOGONAL',
    'elk.spacing.nodeNode': '32',
    'elk.spacing.edgeNode': '18',
    'elk.spacing.edgeEdge': '14',
    'elk.spacing.edgeLabel': '0',
    'elk.spacing.labelLabel': '6',
    'elk.spacing.labelNode': '8',
    'elk.layered.spacing.nodeNodeBetweenLayers': '30',
    'elk.layered.spacing.edgeNodeBetweenLayers': '16',
    'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
    'elk.layered.thoroughness': '10',
    'elk.padding': '[top=24,left=24,bottom=24,right=24]',
  };
}

/** The options that ELK needs to read our graphs; all others have ELK's defaults. For comparisons. */
export function elkDefaults(direction: 'TB' | 'LR'): ElkOptions {
  return {
    'elk.algorithm': 'layered',
    'elk.direction': direction === 'TB' ? 'DOWN' : 'RIGHT',
    'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
    'elk.json.edgeCoords': 'ROOT',
    'elk.json.shapeCoords': 'PARENT',
  };
}
