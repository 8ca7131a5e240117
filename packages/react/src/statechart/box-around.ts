import type { Box, PlacedDrawing } from '@dramaturg/drawing';
import { isArrowIn } from './flow.ts';

/** The box around states and arrows, by their ids; undefined when none of them is drawn. */
export function boxAround(
  { nodes, edges }: PlacedDrawing,
  ids: ReadonlySet<string>,
): Box | undefined {
  const corners = [
    ...nodes.flatMap(({ id, box }) =>
      ids.has(id) ? [box, { x: box.x + box.width, y: box.y + box.height }] : [],
    ),
    ...edges.flatMap((edge) => (isArrowIn(edge, ids) ? edge.points : [])),
  ];
  if (corners.length === 0) return undefined;
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
}
