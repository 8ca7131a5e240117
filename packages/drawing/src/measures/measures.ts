import { iconSize } from '../kinds/icons.ts';
import { lookOf } from '../kinds/kinds.ts';
import type { Box, PlacedDrawing, PlacedEdge, PlacedNode, Point } from '../layout/placed.ts';
import { sizeOf } from '../layout/size-of.ts';
import { iconGap, paddingX } from '../layout/sizes.ts';

/** Measures of how hard a layout is to read. */
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
    const parts = segmentsOf(points);
    return nodes.some((node) => {
      if (!own.has(node.id)) return parts.some((part) => runsThrough(part, node.box));
      // Also its own arrow may run through the title of a state: one that leads to a state inside.
      if (node.header === 0) return false;
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
    // An arrow from a state to the state that contains it has no direction.
    if (around(source).has(target) || around(target).has(source)) return false;
    return boxes.get(target)![axis] < boxes.get(source)![axis];
  }).length;
}

/** The least distance between an arrow and a title, in pixels. */
const clearance = 6;

/** The icon and the title of a parent state. */
function titleBox({ drawn, box, header, text }: PlacedNode): Box {
  const icon = drawn && lookOf(drawn).icon ? iconSize + iconGap : 0;
  const width = drawn ? sizeOf(drawn, true).width - 2 * paddingX : 0;
  return { x: box.x + text.x - icon, y: box.y, width, height: header };
}

/** Moves the titles of parent states away from entering arrows, if there is room. */
export function withFreeTitles(drawing: PlacedDrawing): PlacedDrawing {
  const nodes = drawing.nodes.map((node) => {
    if (node.header === 0) return node;
    const { box, header, text } = node;
    const { x: left, width } = titleBox(node);
    const taken = verticalsAt(drawing, box.y, box.y + header);
    const starts = [left, ...taken.map((x) => x + clearance)].filter(
      (x) => x >= left && x + width <= box.x + box.width - paddingX + 1,
    );
    const free = starts
      .toSorted((one, other) => one - other)
      .find((x) => !taken.some((at) => at > x - clearance && at < x + width + clearance));
    return free === undefined ? node : { ...node, text: { x: text.x + free - left, y: text.y } };
  });
  return { ...drawing, nodes };
}

/** The widths that parent states need for their titles next to the entering arrows. */
export function widthsForTitles(
  drawing: PlacedDrawing,
  known: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const widths = new Map(known);
  for (const node of drawing.nodes) {
    if (node.header === 0) continue;
    const title = titleBox(node);
    const { box, header } = node;
    const needed = title.width + 2 * clearance;
    const taken = verticalsAt(drawing, box.y, box.y + header).toSorted((one, other) => one - other);
    if (!taken.some((x) => x > title.x - clearance && x < title.x - clearance + needed)) continue;
    const before = taken.find(
      (x, index) => x > title.x && (taken[index + 1] ?? Infinity) - x >= needed,
    );
    if (before !== undefined) widths.set(node.id, before - box.x + needed + 2 * paddingX);
  }
  return widths;
}

/** Where arrows run vertically through a strip of the drawing. */
function verticalsAt({ edges }: PlacedDrawing, top: number, bottom: number): number[] {
  return edges.flatMap(({ points }) =>
    points.slice(1).flatMap((point, index) => {
      const before = points[index]!;
      const isUpright = Math.abs(point.x - before.x) < 1;
      const [high, low] = [Math.min(point.y, before.y), Math.max(point.y, before.y)];
      return isUpright && high < bottom - 1 && low > top + 1 ? [point.x] : [];
    }),
  );
}

/** A straight part of an arrow. */
type Segment = readonly [from: Point, to: Point];

/** The error of rounding, in pixels. */
const tolerance = 0.5;

function segmentsOf(points: readonly Point[]): Segment[] {
  return points.slice(1).map((point, index) => [points[index]!, point] as const);
}

/** Whether two segments cross in one point, or share a piece of the same line. Touching ends do not count. */
function cross(one: Segment, other: Segment): boolean {
  const [a, b] = one;
  const [c, d] = other;
  const sides = [side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b)];
  if (sides.every((value) => Math.abs(value) < 1e-6)) return sharedLength(one, other) > 1;
  const [first, second, third, fourth] = sides as [number, number, number, number];
  return first * second < -1e-6 && third * fourth < -1e-6;
}

/** Positive on one side of the line from a to b, negative on the other; in pixels of distance. */
function side(a: Point, b: Point, point: Point): number {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  return ((b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x)) / length;
}

/** The length that two segments of one line have in common. */
function sharedLength([a, b]: Segment, [c, d]: Segment): number {
  const axis = Math.abs(b.x - a.x) > Math.abs(b.y - a.y) ? 'x' : 'y';
  const low = Math.max(Math.min(a[axis], b[axis]), Math.min(c[axis], d[axis]));
  const high = Math.min(Math.max(a[axis], b[axis]), Math.max(c[axis], d[axis]));
  return high - low;
}

/** Whether a segment runs through the inside of a box (Liang and Barsky's clipping). */
function runsThrough([a, b]: Segment, box: Box): boolean {
  let [enters, leaves] = [0, 1];
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  for (const [step, room] of [
    [-dx, a.x - box.x - tolerance],
    [dx, box.x + box.width - tolerance - a.x],
    [-dy, a.y - box.y - tolerance],
    [dy, box.y + box.height - tolerance - a.y],
  ] as const) {
    if (step === 0) {
      if (room <= 0) return false;
    } else if (step < 0) enters = Math.max(enters, room / step);
    else leaves = Math.min(leaves, room / step);
  }
  return leaves - enters > 1e-6;
}

/** The distance of a segment from a box in pixels; 0 when they touch. */
function distance([a, b]: Segment, box: Box): number {
  if (runsThrough([a, b], box)) return 0;
  // The nearest of a few points: enough for arrows, whose parts are horizontal or vertical.
  const steps = Math.max(1, Math.ceil(Math.hypot(b.x - a.x, b.y - a.y) / 4));
  let nearest = Infinity;
  for (let step = 0; step <= steps; step += 1) {
    const x = a.x + ((b.x - a.x) * step) / steps;
    const y = a.y + ((b.y - a.y) * step) / steps;
    const away = Math.hypot(
      Math.max(box.x - x, 0, x - box.x - box.width),
      Math.max(box.y - y, 0, y - box.y - box.height),
    );
    nearest = Math.min(nearest, away);
  }
  return nearest;
}
