import type { Json } from '@dramaturg/compiler';

/** Whether two JSON values are the same. The order of members does not count. */
export function isEqual(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every(
      (key) =>
        Object.hasOwn(other, key) &&
        isEqual(one[key as never] as Json, other[key as never] as Json),
    )
  );
}
