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
 * nearly everything, such as the only scenario of a character, contain all columns; of several scenarios, each contains its own.
 */
export function inColumns(whole: PlacedDrawing): PlacedDrawing {
  const { width, height } = whole;
  if (height < tallest || height < width) return whole;
  const { frames, states } = framesOf(whole);
  const each = states.length > 1 && eachInColumns(whole, frames, states);
  if (each) return each;
  if (height < steepest * width) return whole;
  return continued(whole, frames, (columnWidth) => countFor(height, columnWidth));
}

/** The number of columns in which a drawing has the wanted width. */
function countFor(height: number, columnWidth: number): number {
  return Math.round(Math.sqrt((aspect * height) / columnWidth));
}

function continued(
  whole: PlacedDrawing,
  frames: readonly PlacedNode[],
  countIn: (columnWidth: number) => number,
): PlacedDrawing {
  const { width, height, edges } = whole;
  const inner = frames.at(-1);
  /** Where the content begins, below the titles of the frames. */
  const start = inner ? inner.box.y + inner.header : 0;
  const nodes = whole.nodes.filter((node) => !frames.includes(node));
  const drawing = { ...whole, nodes };
  const cutFor = (columnWidth: number) =>
    cutsThrough(drawing, countIn(columnWidth)).filter((cut) => cut > start);
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
 * Cuts the long ones of several states, which are one below the other or side by side, and moves everything else with them. Undefined
 * when something else is next to them, or when an arrow leads from the inside of one to the outside.
 */
function eachInColumns(
  whole: PlacedDrawing,
  frames: readonly PlacedNode[],
  states: readonly PlacedNode[],
): PlacedDrawing | undefined {
  const parents = new Map(whole.nodes.map(({ id, parent }) => [id, parent]));
  /** The one of these states that contains a node. */
  const around = (id: string): PlacedNode | undefined => {
    const parent = parents.get(id);
    return parent === undefined
      ? undefined
      : (states.find((state) => state.id === parent) ?? around(parent));
  };
  const isStack = areApart(states, 'y', 'height');
  const leads = whole.edges.filter(({ source, target }) => around(source) !== around(target));
  const others = whole.nodes.filter(
    (node) => !frames.includes(node) && !states.includes(node) && !around(node.id),
  );
  const free = whole.edges.filter(({ source }) => !around(source)).flatMap(({ points }) => points);
  const isBeside = ({ x, y }: Point) =>
    states.some(({ box }) => y > box.y + 1 && y < box.y + box.height - 1 && x > box.x);
  if (!isStack && !areApart(states, 'x', 'width')) return undefined;
  if (leads.length > 0 || [...others.map(({ box }) => box), ...free].some(isBeside))
    return undefined;

  const countIn = (columnWidth: number) =>
    countFor(whole.height, isStack ? columnWidth : columnWidth * states.length);
  const parts = states.map((frame) => {
    const inside = whole.nodes.filter(({ id }) => id === frame.id || around(id) === frame);
    const part = {
      width: frame.box.width + 2 * gap,
      height: frame.box.height + 2 * gap,
      nodes: inside,
      edges: whole.edges.filter(({ source }) => around(source) === frame),
    };
    if (frame.box.height < tallest / 2) return { frame, made: part, box: frame.box };
    const [x, y] = [frame.box.x - gap, frame.box.y - gap];
    const alone = shifted(part, -x, -y);
    const outer = alone.nodes.filter(({ id }) => id === frame.id);
    const made = shifted(continued(alone, outer, countIn), x, y);
    return { frame, made, box: made.nodes.find(({ id }) => id === frame.id)!.box };
  });
  const bottom = Math.max(...states.map(({ box }) => box.y + box.height));
  const lift = bottom - Math.max(...parts.map(({ box }) => box.y + box.height));
  const moved = <Place extends Point>(place: Place): Place => {
    let { x, y } = place;
    for (const { frame, box } of parts) {
      const [right, end] = [frame.box.x + frame.box.width, frame.box.y + frame.box.height];
      if (isStack && place.y >= end - 1) y += box.height - frame.box.height;
      if (isStack) continue;
      if (place.x >= right) x += box.width - frame.box.width;
      else if (place.x >= frame.box.x && Math.abs(place.y - end) < 1)
        y += box.height - frame.box.height;
    }
    return { ...place, x, y: !isStack && place.y > bottom ? y - lift : y };
  };
  const placed = parts.map(({ frame, made }) => {
    const { x, y } = moved(frame.box);
    return shifted(made, x - frame.box.x, y - frame.box.y);
  });
  const content = [
    ...others.map((node) => ({ ...node, box: moved(node.box) })),
    ...placed.flatMap(({ nodes }) => nodes),
  ];
  const arrows = whole.edges
    .filter(({ source }) => !around(source))
    .map(({ points, label, ...edge }): PlacedEdge => ({
      ...edge,
      points: points.map(moved),
      ...(label && { label: { ...label, box: moved(label.box) } }),
    }));
  const edges = [...arrows, ...placed.flatMap(({ edges: inside }) => inside)];
  const xs = [
    ...content.map(({ box }) => box.x + box.width),
    ...edges.flatMap(({ points }) => points.map(({ x }) => x)),
  ];
  const ys = [
    ...content.map(({ box }) => box.y + box.height),
    ...edges.flatMap(({ points }) => points.map(({ y }) => y)),
  ];
  const [right, end] = [Math.max(...xs), Math.max(...ys)];
  const framed = frames.map((node, index): PlacedNode => {
    const padding = innerPadding * (frames.length - index);
    const { x, y } = node.box;
    return { ...node, box: { x, y, width: right + padding - x, height: end + padding - y } };
  });
  const border = gap + innerPadding * frames.length;
  return { width: right + border, height: end + border, nodes: [...framed, ...content], edges };
}

/** Whether the boxes do not overlap along an axis. */
function areApart(nodes: readonly PlacedNode[], at: 'x' | 'y', size: 'width' | 'height'): boolean {
  const boxes = nodes.map(({ box }) => box).toSorted((one, other) => one[at] - other[at]);
  return boxes.slice(1).every((box, index) => boxes[index]![at] + boxes[index]![size] <= box[at]);
}

function shifted({ nodes, edges, ...size }: PlacedDrawing, dx: number, dy: number): PlacedDrawing {
  const moved = <Place extends Point>(place: Place): Place => ({
    ...place,
    x: place.x + dx,
    y: place.y + dy,
  });
  return {
    ...size,
    nodes: nodes.map((node) => ({ ...node, box: moved(node.box) })),
    edges: edges.map(({ points, label, ...edge }) => ({
      ...edge,
      points: points.map(moved),
      ...(label && { label: { ...label, box: moved(label.box) } }),
    })),
  };
}

/**
 * The parent states around the whole content, from the outermost to the innermost: everything else is above it. None when other
 * states are next to it or below it, or when arrows leave it. Inside of them, several parent states of which one is long.
 */
function framesOf({ nodes, edges }: PlacedDrawing) {
  const frames: PlacedNode[] = [];
  let states: readonly PlacedNode[];
  for (;;) {
    const around = frames.at(-1)?.id;
    states = nodes.filter(({ parent, header }) => parent === around && header > 0);
    const isLong = states.some(({ box }) => box.height >= tallest);
    if (states.length !== 1 || !isLong) {
      if (!isLong) states = [];
      break;
    }
    frames.push(states[0]!);
  }
  const inner = frames.at(-1);
  const start = inner ? inner.box.y + inner.header : 0;
  const ids = new Set(frames.map(({ id }) => id));
  const isAbove = ({ id, parent, box }: PlacedNode) =>
    parent === inner?.id ||
    ids.has(id) ||
    !(parent === undefined || ids.has(parent)) ||
    box.y + box.height <= start;
  const isOutside = ({ source, target, points }: PlacedEdge) =>
    (ids.has(source) || ids.has(target)) && points.some(({ y }) => y > start);
  const isAround = nodes.every(isAbove) && !edges.some(isOutside);
  return isAround ? { frames, states } : { frames: [], states: [] };
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
