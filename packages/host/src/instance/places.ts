import type { Json } from '@dramaturg/compiler';

/** The names and indexes that lead to a member of a value. */
export type Path = readonly (string | number)[];

type Members = Record<string | number, unknown>;

/**
 * Copies an array or object with another member. The member is an own property in any case, even with the name
 * `__proto__`.
 *
 * @param copy the copy so far, which is changed; undefined before the first member
 */
export function withMember(
  whole: object,
  copy: object | undefined,
  name: string | number,
  value: unknown,
): object {
  const changed = copy ?? (Array.isArray(whole) ? [...(whole as unknown[])] : { ...whole });
  Object.defineProperty(changed, name, { ...ownProperty, value });
  return changed;
}

/** Finds a member by its path through own properties; undefined when it does not exist. */
export function memberAt(value: unknown, path: Path): unknown {
  let member = value;
  for (const name of path) {
    if (typeof member !== 'object' || member === null || !Object.hasOwn(member, name))
      return undefined;
    member = (member as Members)[name];
  }
  return member;
}

/**
 * Puts a value into the place of null. The holder is changed.
 *
 * @param holder `value` is the whole value
 * @returns false when there is no such place
 */
export function put(holder: { value: Json }, path: Path, value: Json): boolean {
  const all: Path = ['value', ...path];
  const parent = memberAt(holder, all.slice(0, -1));
  const name = all.at(-1)!;
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, name)) return false;
  Object.defineProperty(parent, name, { ...ownProperty, value });
  return true;
}

const ownProperty = { enumerable: true, configurable: true, writable: true };

/** The names of the members of an array or a plain object; undefined for everything else, which `toJSON` writes. */
export function namesIn(value: object): Iterable<string | number> | undefined {
  if (Array.isArray(value)) return value.keys();
  return isPlain(value) ? Object.keys(value) : undefined;
}

/**
 * The approximate length of a value as JSON, as `SnapshotParts` and `JournalLines` count it. Most values are short, and
 * need no closer look: this looks at no more of a long value than it has to.
 *
 * @returns undefined when the value has `limit` or more
 */
export function lengthBelow(limit: number, value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) {
    const length = typeof value === 'string' ? value.length + 2 : 6;
    return length < limit ? length : undefined;
  }
  let length = 2;
  // Nothing below the limit is left for members: a value that is too deep ends here.
  if (length >= limit) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      length += 1;
      const ofMember = lengthBelow(limit - length, value[index]);
      if (ofMember === undefined) return undefined;
      length += ofMember;
    }
  } else if (isPlain(value)) {
    // Nearly twice as fast as for-in with a check of each name. All lines of the journal come here.
    for (const name of Object.keys(value)) {
      length += name.length + 4;
      const ofMember = lengthBelow(limit - length, (value as Members)[name]);
      if (ofMember === undefined) return undefined;
      length += ofMember;
    }
  }
  return length < limit ? length : undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
