import { iconSize } from '../kinds/icons.ts';
import { lookOf } from '../kinds/kinds.ts';
import type { Box, PlacedDrawing, PlacedNode } from './placed.ts';
import { sizeOf } from './size-of.ts';
import { iconGap, paddingX } from './sizes.ts';

/** Between an arrow and a title. */
const clearance = 6;

/** The icon and the title of a parent state. */
export function titleBox({ drawn, box, header, text }: PlacedNode): Box {
  const icon = drawn && lookOf(drawn).icon ? iconSize + iconGap : 0;
  const width = drawn ? sizeOf(drawn, true).width - 2 * paddingX : 0;
  return { x: box.x + text.x - icon, y: box.y, width, height: header };
}

/** Moves the titles of parent states to where no arrow enters, if there is room beside the arrows. */
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

/** The widths that parent states need to have their titles beside the arrows that enter them. */
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

/** Where arrows run up or down through a strip of the drawing. */
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
