import { titleBox } from '../layout/titles.ts';
import type { PlacedDrawing, PlacedEdge, PlacedNode } from '../layout/placed.ts';
import { cross, distance, runsThrough, segmentsOf } from './geometry.ts';

/** What makes a layout hard to read, as counts. */
export interface LayoutMeasures {
  readonly arrows: number;
  /** Pairs of arrows that cross, once for each pair of crossing parts. */
  readonly crossings: number;
  /** Arrows that run through a state that is not theirs, or through the title of a parent state. */
  readonly throughBoxes: number;
  /** Labels that another arrow runs through, or that are nearer to another arrow than to their own. */
  readonly strayLabels: number;
  /** Arrows that lead against the direction of the drawing. */
  readonly backward: number;
  /** Width divided by height. */
  readonly aspect: number;
}

/** Measures how hard a layout is to read. */
export function measuresOf(drawing: PlacedDrawing, direction: 'TB' | 'LR' = 'TB'): LayoutMeasures {
  const { edges, nodes, width, height } = drawing;
  return {
    arrows: edges.length,
    crossings: crossingsIn(edges),
    throughBoxes: throughBoxesIn(edges, nodes).length,
    strayLabels: strayLabelsIn(edges).length,
    backward: backwardIn(drawing, direction),
    aspect: height === 0 ? 1 : width / height,
  };
}

function crossingsIn(edges: readonly PlacedEdge[]): number {
  const segments = edges.map(({ points }) => segmentsOf(points));
  let count = 0;
  for (const [index, one] of segments.entries())
    for (const other of segments.slice(index + 1))
      for (const part of one) for (const its of other) if (cross(part, its)) count += 1;
  return count;
}

/** The arrows that run through a foreign state or a title. */
function throughBoxesIn(
  edges: readonly PlacedEdge[],
  nodes: readonly PlacedNode[],
): readonly PlacedEdge[] {
  const around = ancestorFinder(nodes);
  return edges.filter(({ source, target, points }) => {
    const own = new Set([...around(source), ...around(target)]);
    const ends = new Set([source, target]);
    const parts = segmentsOf(points);
    return nodes.some((node) => {
      if (!own.has(node.id)) return parts.some((part) => runsThrough(part, node.box));
      if (node.header === 0 || ends.has(node.id)) return false;
      return parts.some((part) => runsThrough(part, titleBox(node)));
    });
  });
}

/** Finds the ids of a state and of the states that contain it. */
function ancestorFinder(nodes: readonly PlacedNode[]): (id: string) => ReadonlySet<string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return (id) => {
    const ids = new Set<string>();
    for (let at = byId.get(id); at !== undefined; at = byId.get(at.parent ?? '')) ids.add(at.id);
    return ids;
  };
}

function strayLabelsIn(edges: readonly PlacedEdge[]): readonly PlacedEdge[] {
  return edges.filter((edge) => {
    if (!edge.label) return false;
    const { box } = edge.label;
    const away = (points: PlacedEdge['points']) =>
      Math.min(...segmentsOf(points).map((part) => distance(part, box)));
    const own = away(edge.points);
    return edges.some((other) => {
      if (other === edge) return false;
      if (segmentsOf(other.points).some((part) => runsThrough(part, box))) return true;
      return own > 0 && away(other.points) < own;
    });
  });
}

function backwardIn({ edges, nodes }: PlacedDrawing, direction: 'TB' | 'LR'): number {
  const around = ancestorFinder(nodes);
  const boxes = new Map(nodes.map(({ id, box }) => [id, box]));
  const axis = direction === 'TB' ? 'y' : 'x';
  return edges.filter(({ source, target }) => {
    // An arrow out of a state to the state that contains it has no direction.
    if (around(source).has(target) || around(target).has(source)) return false;
    return boxes.get(target)![axis] < boxes.get(source)![axis];
  }).length;
}
