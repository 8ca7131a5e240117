import { isRecord, type Json } from '@dramaturg/compiler';

/** Whether two values are the same JSON. The order of fields does not matter. */
export function isSame(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSame(item, other[index]));
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const fields = Object.keys(one);
  return (
    fields.length === Object.keys(other).length &&
    fields.every(
      (field) => Object.hasOwn(other, field) && isSame(one[field] as Json, other[field] as Json),
    )
  );
}

/** A string that is equal for values that are the same JSON. */
export function keyOf(value: Json): string {
  return JSON.stringify(value, sortedFields);
}

function sortedFields(_: string, value: Json): Json {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
