import { lookOf } from '../kinds/kinds.ts';
import type { Box } from './placed.ts';
import { sizeOf } from './size-of.ts';
import { gap, innerPadding } from './sizes.ts';
import type { Branch } from './tree.ts';

/** The layout of a node without arrows inside: sequential nodes in a column, parallel ones in rows. */
export interface Grid {
  readonly width: number;
  readonly height: number;
  /** All descendants, relative to the corner of this node. */
  readonly boxes: ReadonlyMap<string, Box>;
  /** The place of a task among those that are done in order, from 1. */
  readonly steps: ReadonlyMap<string, number>;
  /** Tasks that follow each other. */
  readonly sequence: readonly (readonly [before: string, after: string])[];
}

/** The grid of a node without arrows inside; undefined for a node that needs a layout. */
export function gridOf(branch: Branch): Grid | undefined {
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

/** Up to three beside each other: wider states would make the whole chart small. */
function columnsFor(count: number): number {
  return Math.min(3, Math.ceil(Math.sqrt(count)));
}
