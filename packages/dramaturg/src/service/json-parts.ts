import type { Sliced } from '@dramaturg/compiler/machine';

/** How many values one part has at most, in addition to its first one: JSON of them is parsed in a few milliseconds. */
const valuesMax = 5_000;

interface Part {
  /** The object or list to which the entries belong. */
  readonly at: readonly string[];
  readonly entries: Record<string, unknown>;
}

/** The JSON of an object in parts, because parsing all of it would block the event loop. */
export function partsOf(value: object, max = valuesMax): string[] {
  const parts: Part[] = [];
  const sizes = new Map<unknown, number>();
  const sizeOf = (inner: unknown): number => {
    if (typeof inner !== 'object' || inner === null) return 1;
    let size = sizes.get(inner);
    if (size === undefined) {
      size = Object.values(inner).reduce((sum: number, each) => sum + sizeOf(each), 1);
      sizes.set(inner, size);
    }
    return size;
  };
  const add = (container: object, at: readonly string[]) => {
    const large: [string, object][] = [];
    let entries: Part['entries'] = {};
    let room = 0;
    for (const [key, inner] of Object.entries(container)) {
      const isLarge = sizeOf(inner) > max;
      if (isLarge) large.push([key, inner as object]);
      const size = isLarge ? 1 : sizeOf(inner);
      if (size > room) {
        [entries, room] = [{}, max];
        parts.push({ at, entries });
      }
      room -= size;
      entries[key] = !isLarge ? inner : Array.isArray(inner) ? [] : {};
    }
    for (const [key, inner] of large) add(inner, [...at, key]);
  };
  add(value, []);
  return parts.map((part) => JSON.stringify(part));
}

/** The object of some parts. */
export function* joined(parts: readonly string[]): Sliced<object> {
  const whole = {};
  for (const part of parts) {
    const { at, entries } = JSON.parse(part) as Part;
    const container = at.reduce<object>((outer, key) => (outer as never)[key], whole);
    Object.assign(container, entries);
    yield;
  }
  return whole;
}
