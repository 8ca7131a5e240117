/**
 * A list that grows at its end, made of parts that never change. Adding a value creates a few small arrays, and all other parts
 * are the same objects. So the stored form of a long list changes little when one value is added.
 *
 * The first array has the newest values, fewer than 32. Every later one has full parts of the level before it, the oldest first,
 * and fewer than 32 too.
 */
export type PersistentList<Value> = readonly (readonly Part<Value>[])[];

type Part<Value> = Value | readonly Part<Value>[];

const partLength = 32;

export function withValue<Value>(list: PersistentList<Value>, value: Value): PersistentList<Value> {
  let [newest = [], ...fuller] = list;
  newest = [...newest, value];
  if (newest.length < partLength) return [newest, ...fuller];
  return [[], ...withValue<Part<Value>>(fuller, newest)];
}

/** The values, in the order in which they were added. */
export function* valuesOf<Value>(list: PersistentList<Value>): Generator<Value> {
  for (let level = list.length - 1; level >= 0; level -= 1)
    for (const part of list[level]!) yield* valuesIn(part, level);
}

function* valuesIn<Value>(part: Part<Value>, level: number): Generator<Value> {
  if (level === 0) yield part as Value;
  else for (const inner of part as readonly Part<Value>[]) yield* valuesIn(inner, level - 1);
}
