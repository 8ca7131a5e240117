import type { Box, Point } from '../layout/placed.ts';

/** A straight part of an arrow. */
export type Segment = readonly [from: Point, to: Point];

/** Pixels that rounding may take. */
const tolerance = 0.5;

export function segmentsOf(points: readonly Point[]): Segment[] {
  return points.slice(1).map((point, index) => [points[index]!, point] as const);
}

/** Whether two segments cross in one point, or share a piece of the same line. Touching ends do not count. */
export function cross(one: Segment, other: Segment): boolean {
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
export function runsThrough([a, b]: Segment, box: Box): boolean {
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
export function distance([a, b]: Segment, box: Box): number {
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
