import { isRecord, type Json } from '@dramaturg/compiler';
import { HostError } from '../errors.ts';
import type { LineRange, StoreReader } from '../store/contract.ts';

/** A place in a line where null replaces a value of an earlier line, and the place of that value. */
type Repetition = readonly [path: Path, line: number, pathThere: Path];

/** A place in a line that is being written. Its path is made when it is needed, because a value can be deep. */
interface Trail {
  readonly name: string | number;
  readonly before: Trail | undefined;
}

/**
 * The place of a value in the journal. `line` is its index from 0. A negative number counts back from the referring line, in the
 * same write.
 */
interface Place {
  readonly line: number;
  readonly trail: Trail | undefined;
}

/** Shorter values are not replaced: they cost less than a reference. */
const lengthMin = 1_024;

/**
 * Writes large values into the journal of one instance once. Events repeat the data of a workflow at each of its states: a value
 * of an earlier line is replaced by null, and the member `repeats` of the line has the place of the value. The member is outside
 * the event, so that no data can look like a reference.
 *
 * Values are recognised by object identity, as in `SnapshotParts`. After a restart they are written once more.
 */
export class JournalLines {
  /** The places of values in stored lines. */
  readonly #places = new WeakMap<object, Place>();
  #textPlaces = new Map<string, Place>();
  /** The places of values in the lines that are being written, by their index among them. */
  #written = new Map<object | string, Place>();
  #line = 0;
  #repeats: Repetition[] = [];

  /** Prepares the lines of the next write. */
  shorten(lines: readonly Json[]): readonly Json[] {
    this.#written = new Map();
    return lines.map((line, index) => {
      // No value in it is long enough to be replaced.
      if (lengthBelow(lengthMin, line) !== undefined) return line;
      this.#line = index;
      this.#repeats = [];
      const { value } = this.#shortened(line, undefined);
      return this.#repeats.length === 0 ? line : { ...(value as object), repeats: this.#repeats };
    });
  }

  /**
   * Notes that the lines of the last write are stored.
   *
   * @param first the index of the first of them
   * @param isUsed whether a string is still used, so that it may occur again
   */
  stored(first: number, isUsed: (text: string) => boolean): void {
    for (const [value, { line, trail }] of this.#written) {
      const place = { line: first + line, trail };
      if (typeof value === 'string') this.#textPlaces.set(value, place);
      else this.#places.set(value, place);
    }
    this.#written = new Map();
    if (this.#textPlaces.size > 0)
      this.#textPlaces = new Map([...this.#textPlaces].filter(([text]) => isUsed(text)));
  }

  /** @returns the value without the values of earlier lines, and its approximate length as JSON */
  #shortened(value: unknown, trail: Trail | undefined): { value: unknown; length: number } {
    const isText = typeof value === 'string';
    if (isText && value.length < lengthMin) return { value, length: value.length + 2 };
    if (!isText && (typeof value !== 'object' || value === null)) return { value, length: 6 };
    const place = this.#placeOf(value);
    if (place !== undefined) {
      this.#repeats.push([pathOf(trail), place.line, pathOf(place.trail)]);
      return { value: null, length: 4 };
    }
    const shortened = isText ? { value, length: value.length } : this.#members(value, trail);
    if (shortened.length >= lengthMin) this.#written.set(value, { line: this.#line, trail });
    return shortened;
  }

  #members(whole: object, trail: Trail | undefined): { value: unknown; length: number } {
    let copy: object | undefined;
    let length = 2;
    for (const name of namesIn(whole) ?? []) {
      const member = (whole as Record<string | number, unknown>)[name];
      const shortened = this.#shortened(member, { name, before: trail });
      length += shortened.length + (typeof name === 'string' ? name.length + 4 : 1);
      if (shortened.value !== member) copy = withMember(whole, copy, name, shortened.value);
    }
    return { value: copy ?? whole, length };
  }

  #placeOf(value: object | string): Place | undefined {
    const written = this.#written.get(value);
    // A place in the same line would have to be found before the line is complete.
    if (written !== undefined)
      return written.line === this.#line
        ? undefined
        : { line: written.line - this.#line, trail: written.trail };
    return typeof value === 'string' ? this.#textPlaces.get(value) : this.#places.get(value);
  }
}

function pathOf(trail: Trail | undefined): Path {
  const path: (string | number)[] = [];
  for (let each = trail; each !== undefined; each = each.before) path.push(each.name);
  return path.toReversed();
}

/**
 * Reads lines of an instance's journal, and restores values from earlier lines.
 *
 * @throws StoreError; HostError `host/damaged`
 */
export async function readJournal(
  store: Pick<StoreReader, 'journal'>,
  id: string,
  range: LineRange,
): Promise<readonly Json[]> {
  const lines = await store.journal(id, range);
  if (!lines.some(hasRepeats)) return lines;
  const reading = new Reading(store, id);
  const whole: Json[] = [];
  for (const [index, line] of lines.entries())
    whole.push(await reading.wholeLine(range.from + index, line));
  return whole;
}

/** Whether a line refers to values of earlier lines. */
function hasRepeats(line: Json): boolean {
  return isRecord(line) && line['repeats'] !== undefined;
}

/** Reads one page of a journal. Owns the lines that are read for it. */
class Reading {
  readonly #store: Pick<StoreReader, 'journal'>;
  readonly #id: string;
  readonly #lines = new Map<number, Json>();

  constructor(store: Pick<StoreReader, 'journal'>, id: string) {
    this.#store = store;
    this.#id = id;
  }

  async wholeLine(index: number, line: Json): Promise<Json> {
    const whole = await this.#whole(index, line);
    this.#lines.set(index, whole);
    return whole;
  }

  async #whole(index: number, line: Json): Promise<Json> {
    if (!isRecord(line) || line['repeats'] === undefined) return line;
    const { repeats, ...rest } = line;
    const holder = { value: rest as Json };
    for (const [path, there, pathThere] of repeats as unknown as readonly Repetition[]) {
      const from = there < 0 ? index + there : there;
      const isEarlier = from >= 0 && from < index;
      const value = isEarlier ? memberAt(await this.#lineAt(from), pathThere) : undefined;
      if (value === undefined || !put(holder, path, value as Json))
        throw damagedJournal(this.#id, index);
    }
    return holder.value;
  }

  async #lineAt(index: number): Promise<Json> {
    const known = this.#lines.get(index);
    if (known !== undefined) return known;
    const [line = null] = await this.#store.journal(this.#id, { from: index, limit: 1 });
    return this.wholeLine(index, line);
  }
}

function damagedJournal(id: string, line: number): HostError {
  const message = `Line ${line} of the journal of ${JSON.stringify(id)} refers to a value that no earlier line has.`;
  return new HostError('host/damaged', message);
}

/** The names and indexes that lead to a member of a value. */
export type Path = readonly (string | number)[];

type Members = Record<string | number, unknown>;

/**
 * Copies an array or object with another member. The member is always an own property, even with the name `__proto__`.
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
function memberAt(value: unknown, path: Path): unknown {
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

/** Objects with so many names are remembered, because each list of the names takes long, and lines repeat the same data. */
const manyNames = 1_000;
const leastLengths = new WeakMap<object, number>();

/**
 * The approximate length of a value as JSON, as `SnapshotParts` and `JournalLines` count it. Most values are short. Of a long
 * value, this examines only the beginning.
 *
 * @returns undefined when the value has `limit` or more
 */
export function lengthBelow(limit: number, value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) {
    const length = typeof value === 'string' ? value.length + 2 : 6;
    return length < limit ? length : undefined;
  }
  let length = 2;
  // No length is left for members: a value that is too deep ends here.
  if (length >= limit) return undefined;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      length += 1;
      const ofMember = lengthBelow(limit - length, value[index]);
      if (ofMember === undefined) return undefined;
      length += ofMember;
    }
  } else if (isPlain(value)) {
    const least = leastLengths.get(value);
    if (least !== undefined && least >= limit) return undefined;
    // Nearly twice as fast as for-in with a check of each name. All journal lines pass here.
    const names = Object.keys(value);
    if (names.length > manyNames) leastLengths.set(value, names.length);
    for (const name of names) {
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
