import type { Box, PlacedDrawing, PlacedNode } from '@dramaturg/drawing';

/** What makes a drawn chart hard to read, in words: things that lie on one another. Empty when nothing does. */
export function faultsIn({ nodes, edges }: PlacedDrawing): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const around = (node: PlacedNode): Set<string> => {
    const ids = new Set<string>();
    for (let at: PlacedNode | undefined = node; at?.parent !== undefined; at = byId.get(at.parent))
      ids.add(at.parent);
    return ids;
  };
  const faults: string[] = [];
  for (const [first, second] of pairsOf(nodes)) {
    if (around(first).has(second.id) || around(second).has(first.id)) continue;
    if (overlap(first.box, second.box)) faults.push(`${first.id} lies on ${second.id}`);
  }
  for (const node of nodes) {
    const outer = node.parent === undefined ? undefined : byId.get(node.parent)!;
    if (outer && !isInside(node.box, belowHeader(outer)))
      faults.push(`${node.id} is not inside of ${outer.id}`);
  }
  const labels = edges.flatMap(({ id, label }) => (label ? [{ id, box: label.box }] : []));
  for (const label of labels) {
    for (const node of nodes) {
      if (overlap(label.box, headerOf(node)))
        faults.push(`the label of ${label.id} lies on ${node.id}`);
    }
  }
  for (const [first, second] of pairsOf(labels)) {
    if (overlap(first.box, second.box)) faults.push(`the labels of ${first.id} and ${second.id}`);
  }
  return faults;
}

/** The whole node, or the header of a parent node. */
function headerOf({ box, header }: PlacedNode): Box {
  return header > 0 ? { ...box, height: header } : box;
}

function belowHeader({ box, header }: PlacedNode): Box {
  return { ...box, y: box.y + header, height: box.height - header };
}

/** Pixels that rounding may take. */
const tolerance = 0.5;

function overlap(one: Box, other: Box): boolean {
  return (
    one.x + tolerance < other.x + other.width &&
    other.x + tolerance < one.x + one.width &&
    one.y + tolerance < other.y + other.height &&
    other.y + tolerance < one.y + one.height
  );
}

function isInside(inner: Box, outer: Box): boolean {
  return (
    inner.x >= outer.x - tolerance &&
    inner.y >= outer.y - tolerance &&
    inner.x + inner.width <= outer.x + outer.width + tolerance &&
    inner.y + inner.height <= outer.y + outer.height + tolerance
  );
}

function* pairsOf<Item>(items: readonly Item[]): Generator<readonly [Item, Item]> {
  for (const [index, first] of items.entries())
    for (const second of items.slice(index + 1)) yield [first, second];
}
