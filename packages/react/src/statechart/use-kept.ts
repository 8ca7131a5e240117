import { useEffect, useRef } from 'react';

/** The items of this drawing; those that are equal to items of the last drawing are the same objects. */
export function useKept<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  const last = useRef<Item[]>([]);
  const kept = keptItems(last.current, items);
  useEffect(() => {
    last.current = kept;
  });
  return kept;
}

/**
 * Replaces items by equal ones of before. React Flow draws anew what is another object: a step of a run then changes a few states and
 * not all.
 *
 * @returns `before` itself if nothing has changed
 */
export function keptItems<Item extends { readonly id: string }>(
  before: Item[],
  items: readonly Item[],
): Item[] {
  const byId = new Map(before.map((item) => [item.id, item]));
  const kept = items.map((item) => {
    const last = byId.get(item.id);
    return last !== undefined && isEqual(last, item) ? last : item;
  });
  const isUnchanged =
    kept.length === before.length && kept.every((item, index) => item === before[index]);
  return isUnchanged ? before : kept;
}

/** Compares the fields of two objects, and those of objects in them. */
function isEqual(one: object, other: object, depth = 2): boolean {
  const fields = Object.entries(one);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(([key, value]) => {
      const match: unknown = (other as Readonly<Record<string, unknown>>)[key];
      return (
        value === match ||
        (depth > 1 && isObject(value) && isObject(match) && isEqual(value, match, depth - 1))
      );
    })
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
