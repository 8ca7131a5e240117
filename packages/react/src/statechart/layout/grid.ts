import type { Branch } from './tree.ts';
import { gap, innerPadding } from './sizes.ts';
import { sizeOf } from './size-of.ts';
import type { Box } from './placed.ts';

/** The layout of a node without arrows inside: sequential nodes in a column, parallel ones in rows. */
export interface Grid {
  readonly width: number;
  readonly height: number;
  /** All descendants, relative to the corner of this node. */
  readonly boxes: ReadonlyMap<string, Box>;
}

/** The grid of a node without arrows inside; undefined for a node that needs a layout. */
export function gridOf(branch: Branch): Grid | undefined {
  const { drawn, children } = branch;
  if (children.some(({ isConnected }) => isConnected)) return undefined;
  const own = sizeOf(drawn);
  if (children.length === 0) return { width: own.width, height: own.height, boxes: new Map() };

  const grids = children.map((child) => ({ id: child.drawn.id, ...gridOf(child)! }));
  const columns = drawn.kind === 'parallel' ? Math.ceil(Math.sqrt(grids.length)) : 1;
  const width = Math.max(...grids.map((grid) => grid.width));
  const boxes = new Map<string, Box>();
  let top = own.height + gap / 2;
  for (let start = 0; start < grids.length; start += columns) {
    const row = grids.slice(start, start + columns);
    const height = Math.max(...row.map((grid) => grid.height));
    for (const [column, grid] of row.entries()) {
      const x = innerPadding + column * (width + gap);
      boxes.set(grid.id, { x, y: top, width, height });
      for (const [id, box] of grid.boxes) boxes.set(id, { ...box, x: x + box.x, y: top + box.y });
    }
    top += height + gap;
  }
  const used = Math.min(columns, grids.length);
  return {
    width: Math.max(own.width, 2 * innerPadding + used * width + (used - 1) * gap),
    height: top - gap + innerPadding,
    boxes,
  };
}
