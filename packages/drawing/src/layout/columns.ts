import type { Box, PlacedDrawing, PlacedEdge, PlacedNode, Point } from './placed.ts';
import { gap, innerPadding } from './sizes.ts';

/** A drawing from top to bottom of this height, in pixels, and with this ratio of height to width is continued in columns. */
const [tallest, steepest] = [2_000, 2];

/** The wanted width of a drawing in columns, divided by its height. */
const aspect = 1.6;

/** Pixels between two arrows that lead to another column. */
const lane = 12;

/** A part of the drawing between two cuts, and how far it moves. */
interface Column extends Point {
  readonly top: number;
  readonly bottom: number;
  /** Its right side, after the move. */
  readonly right: number;
}

/**
 * Cuts a long drawing between its states, and puts the parts side by side. An arrow that was cut continues at the top of the next
 * column. These arrows do not cross: one that is further to the left runs around those to its right. Parent states that contain
 * nearly everything, such as the only scenario of a character, contain all columns.
 */
export function inColumns(whole: PlacedDrawing): PlacedDrawing {
  const { width, height, edges } = whole;
  if (height < tallest || height < steepest * width) return whole;
  const frames = framesOf(whole);
  const inner = frames.at(-1);
  /** Where the content begins, below the titles of the frames. */
  const start = inner ? inner.box.y + inner.header : 0;
  const nodes = whole.nodes.filter((node) => !frames.includes(node));
  const drawing = { ...whole, nodes };
  const cutFor = (columnWidth: number) =>
    cutsThrough(drawing, Math.round(Math.sqrt((aspect * height) / columnWidth)));
  // A chain that drifts to one side is wider than each of its parts.
  const rough = cutFor(width);
  const cuts = cutFor(
    Math.max(
      ...[0, ...rough].map((top, index) => {
        const { left, right } = edgesOf(drawing, top, rough[index] ?? height);
        return right - left + 4 * gap;
      }),
    ),
  );
  const leftmost = inner ? inner.box.x + innerPadding : gap;
  const crossings = cuts.map((cut) =>
    edges
      .flatMap(({ points }) => partsOf(points).filter((part) => isBetween(cut, part)))
      .map(([{ x }]) => x)
      .toSorted((one, other) => one - other),
  );
  const columns: Column[] = [];
  for (const [index, top] of [0, ...cuts].entries()) {
    const bottom = cuts[index] ?? height;
    const before = columns.at(-1);
    const lanes = crossings[index - 1]?.length ?? 0;
    const sides = edgesOf(drawing, before ? top : start, bottom);
    const x = before
      ? before.right + 2 * gap + (lanes + 1) * lane - sides.left
      : Math.min(0, leftmost - sides.left);
    const y = start + lanes * lane + gap - top;
    columns.push({ top, bottom, x, y: before ? y : 0, right: sides.right + x });
  }
  const columnAt = (y: number) => cuts.filter((cut) => cut <= y).length;
  const moved = <Place extends Point>(place: Place): Place => {
    // The dots and arrows above the content stay.
    if (place.y < start) return place;
    const { x, y } = columns[columnAt(place.y)]!;
    return { ...place, x: place.x + x, y: place.y + y };
  };
  /** The corners between two columns, at the cut after the first one. */
  const around = (cut: number, at: number): readonly Point[] => {
    const [from, to] = [columns[cut]!, columns[cut + 1]!];
    const all = crossings[cut]!;
    const rank = all.indexOf(at);
    const bottom = from.bottom + from.y + (all.length - rank) * lane;
    const side = from.right + gap + (all.length - rank) * lane;
    const top = to.top + to.y - (rank + 1) * lane;
    return [
      { x: at + from.x, y: bottom },
      { x: side, y: bottom },
      { x: side, y: top },
      { x: at + to.x, y: top },
    ];
  };
  const routed = ({ points, label, ...edge }: PlacedEdge): PlacedEdge => ({
    ...edge,
    points: [
      moved(points[0]!),
      ...partsOf(points).flatMap(([from, to]) => {
        const [first, last] = [columnAt(from.y), columnAt(to.y)];
        const corners = cuts
          .map((_, cut) => cut)
          .slice(Math.min(first, last), Math.max(first, last))
          .flatMap((cut) => around(cut, from.x));
        return [...(first <= last ? corners : corners.toReversed()), moved(to)];
      }),
    ],
    ...(label && { label: { ...label, box: moved(label.box) } }),
  });
  const bottoms = columns.map(
    ({ bottom, y }, index) => bottom + y + (crossings[index]?.length ?? 0) * lane,
  );
  const framed = frames.map((node, index) => {
    const padding = innerPadding * (frames.length - index);
    const { x, y } = node.box;
    const [right, bottom] = [columns.at(-1)!.right + padding, Math.max(...bottoms) + padding];
    return { ...node, box: { x, y, width: right - x, height: bottom - y } };
  });
  const border = gap + innerPadding * frames.length;
  return {
    width: columns.at(-1)!.right + border,
    height: Math.max(...bottoms) + border,
    nodes: [...framed, ...nodes.map((node) => ({ ...node, box: moved(node.box) }))],
    edges: edges.map(routed),
  };
}

/**
 * The parent states around the whole content, from the outermost to the innermost: everything else is above it. None when other
 * states are next to it or below it, or when arrows leave it.
 */
function framesOf({ nodes, edges }: PlacedDrawing): readonly PlacedNode[] {
  const frames: PlacedNode[] = [];
  for (;;) {
    const around = frames.at(-1)?.id;
    const next = nodes.find(
      ({ parent, header, box }) => parent === around && header > 0 && box.height >= tallest,
    );
    if (!next) break;
    frames.push(next);
  }
  const inner = frames.at(-1);
  if (!inner) return [];
  const start = inner.box.y + inner.header;
  const ids = new Set(frames.map(({ id }) => id));
  const isAbove = ({ id, parent, box }: PlacedNode) =>
    parent === inner.id ||
    ids.has(id) ||
    !(parent === undefined || ids.has(parent)) ||
    box.y + box.height <= start;
  const isOutside = ({ source, target, points }: PlacedEdge) =>
    (ids.has(source) || ids.has(target)) && points.some(({ y }) => y > start);
  return nodes.every(isAbove) && !edges.some(isOutside) ? frames : [];
}

/** The heights at which the drawing is cut into about as many parts: between states and labels, where few arrows are. */
function cutsThrough({ height, nodes, edges }: PlacedDrawing, count: number): readonly number[] {
  const boxes = [...nodes.map(({ box }) => box), ...edges.flatMap(({ label }) => label?.box ?? [])];
  const parts = edges.flatMap(({ points }) => partsOf(points));
  const free = freeHeights(boxes).map((y) => ({
    y,
    arrows: parts.filter((part) => isBetween(y, part)).length,
  }));
  const cuts = Array.from({ length: count - 1 }, (_, index) => {
    const wanted = ((index + 1) * height) / count;
    const costs = free.map(({ y, arrows }) => Math.abs(y - wanted) + arrows * 2 * lane);
    return free[costs.indexOf(Math.min(...costs))]?.y;
  });
  return [...new Set(cuts.filter((cut) => cut !== undefined))].toSorted((a, b) => a - b);
}

/** The middles of the gaps between boxes, from top to bottom. */
function freeHeights(boxes: readonly Box[]): readonly number[] {
  const found: number[] = [];
  let end = Infinity;
  for (const { y, height } of boxes.toSorted((one, other) => one.y - other.y)) {
    // Half a pixel keeps it off the horizontal parts of arrows.
    if (y - end > 4) found.push(Math.floor((end + y) / 2) + 0.5);
    end = end === Infinity ? y + height : Math.max(end, y + height);
  }
  return found;
}

function edgesOf({ nodes, edges }: PlacedDrawing, top: number, bottom: number) {
  const isInside = ({ y }: Point) => y >= top && y < bottom;
  const boxes = [...nodes.map(({ box }) => box), ...edges.flatMap(({ label }) => label?.box ?? [])];
  const crossing = edges
    .flatMap(({ points }) => partsOf(points))
    .filter(([from, to]) => Math.min(from.y, to.y) < bottom && Math.max(from.y, to.y) >= top);
  const xs = [
    ...boxes.filter(isInside).flatMap(({ x, width }) => [x, x + width]),
    ...crossing.flatMap(([from, to]) => [from.x, to.x]),
  ];
  return { left: Math.min(...xs), right: Math.max(...xs) };
}

type Part = readonly [from: Point, to: Point];

function partsOf(points: readonly Point[]): readonly Part[] {
  return points.slice(1).map((to, index) => [points[index]!, to]);
}

function isBetween(y: number, [from, to]: Part): boolean {
  return Math.min(from.y, to.y) < y && Math.max(from.y, to.y) >= y;
}
