import { isRecord, type Json } from '@dramaturg/compiler';
import { HostError } from '../errors.ts';
import type { Part, StoreRecord } from '../store/contract.ts';
import { lengthBelow, namesIn, type Path, put, withMember } from './journal-lines.ts';
import type { InstanceState } from './state.ts';

/** A place in a value where null replaces a part, and the key of the part. */
type PartPlace = readonly [path: Path, key: string];

/** The stored snapshot: `places` are outside the data, so that no data can look like a reference. */
type StoredState = InstanceState & { readonly places?: readonly PartPlace[] };

/** The stored value of a part. */
interface StoredPart {
  readonly value: Json;
  readonly places?: readonly PartPlace[];
}

/** A value without its parts, and its approximate length as JSON. */
interface Divided {
  readonly value: unknown;
  readonly length: number;
  readonly places: readonly PartPlace[];
}

/** The changes of a write to a record. */
export interface DividedState {
  readonly snapshot: Json;
  readonly parts: { readonly set: readonly Part[]; readonly removed: readonly string[] };
}

/**
 * A value of this length becomes a part when the next step still has it. Rewriting a shorter value costs less than storing and
 * removing a part: for example, a lifecycle's list of seen message ids changes with each turn.
 */
const lengthMin = 2_048;
/** A value of this length becomes a part immediately. */
const largeLengthMin = 65_536;
/** The length of a reference without its path, roughly. */
const placeLength = 24;
const noPlaces: readonly PartPlace[] = [];

/**
 * Divides the states of one instance into a small snapshot and parts, so that a step writes only its changes.
 *
 * Machines replace values instead of changing them: an object that the previous step already had is stored, and is neither
 * written nor examined again. So the cost of a step depends only on its new values. A part may refer to other parts, and is
 * removed when nothing refers to it any more.
 *
 * Owns the keys of the parts of one record. It must see every state that is written to the record, in order.
 */
export class SnapshotParts {
  /** The keys of objects that are or were parts. */
  readonly #keys = new WeakMap<object, string>();
  /** The keys of strings that are parts. */
  readonly #textKeys = new Map<string, string>();
  readonly #parts = new Map<string, KnownPart>();
  /** Objects of at least `lengthMin` that were written, but are no parts. */
  readonly #written = new WeakSet<object>();
  #writtenTexts: ReadonlySet<string> = new Set();
  /** The parts that the snapshot itself refers to. */
  #roots: readonly string[] = [];
  #lastKey = 0;
  /** The strings and parts of the current division. */
  #texts = new Set<string>();
  #set: Part[] = [];

  /** Whether the last divided state has this string, and the string is large. */
  hasText(text: string): boolean {
    return this.#textKeys.has(text) || this.#writtenTexts.has(text);
  }

  /** Divides the next state. When it cannot be stored, this object must not be used again. */
  divide(state: InstanceState): DividedState {
    this.#set = [];
    this.#texts = new Set();
    const { value, places } = this.#members(state);
    this.#writtenTexts = this.#texts;
    const before = this.#roots;
    this.#use(keysIn(places));
    const removed: string[] = [];
    for (const key of before) this.#release(key, removed);
    const snapshot = (places.length === 0 ? value : { ...(value as object), places }) as Json;
    return { snapshot, parts: { set: this.#set, removed } };
  }

  /** Joins a stored state with its parts. The next state is compared with the joined objects. */
  static join(record: Pick<StoreRecord, 'id' | 'snapshot' | 'parts'>): {
    readonly state: InstanceState;
    readonly parts: SnapshotParts;
  } {
    const parts = new SnapshotParts();
    return { state: parts.#join(record), parts };
  }

  #join({ id, snapshot, parts }: Pick<StoreRecord, 'id' | 'snapshot' | 'parts'>): InstanceState {
    if (!isRecord(snapshot)) throw damagedState(id, 'It is not an object.');
    const { places = [], ...state } = snapshot as unknown as StoredState;
    const stored = new Map(parts.map(({ key, value }) => [key, value as unknown as StoredPart]));
    const joined = new Map<string, Json>();
    const whole = (value: Json, within: readonly PartPlace[]): Json => {
      const holder = { value };
      for (const [path, key] of within)
        if (!put(holder, path, partFor(key)))
          throw damagedState(id, `Its part "${key}" has no place.`);
      return holder.value;
    };
    const partFor = (key: string): Json => {
      const known = joined.get(key);
      if (known !== undefined) return known;
      const part = stored.get(key);
      // A part that contains itself is missing at its second use.
      if (!stored.delete(key)) throw damagedState(id, `Its part "${key}" is missing.`);
      const { value, places: inner = [] } = part!;
      joined.set(key, whole(value, inner));
      this.#know(key, joined.get(key)!, keysIn(inner));
      return joined.get(key)!;
    };
    const result = whole(state as unknown as Json, places);
    this.#use(keysIn(places));
    this.#lastKey = parts.reduce((last, { key }) => Math.max(last, Number(key)), 0);
    return result as unknown as InstanceState;
  }

  /** @param isLong whether it is the only member of a long value, so that its length need not be estimated */
  #divide(value: unknown, mayBePart: boolean, isLong = false): Divided {
    if (typeof value === 'string') return this.#divideText(value, mayBePart);
    if (typeof value !== 'object' || value === null) return { value, length: 6, places: noPlaces };
    // Parts are longer than `lengthMin`. A shorter part of an earlier release is removed when nothing refers to it.
    const length = isLong ? undefined : lengthBelow(lengthMin, value);
    if (length !== undefined) return { value, length, places: noPlaces };
    const known = this.#keys.get(value);
    if (known !== undefined && this.#parts.has(known)) return placeOf(known);
    if (mayBePart && this.#written.has(value))
      return this.#newPart(value, this.#members(value, false));
    const divided = this.#members(value, mayBePart);
    if (divided.length >= largeLengthMin) return this.#newPart(value, divided);
    if (divided.length >= lengthMin) this.#written.add(value);
    return divided;
  }

  #divideText(value: string, mayBePart: boolean): Divided {
    const { length } = value;
    if (length < lengthMin) return { value, length: length + 2, places: noPlaces };
    const known = this.#textKeys.get(value);
    if (known !== undefined) return placeOf(known);
    if (length >= largeLengthMin || (mayBePart && this.#writtenTexts.has(value)))
      return this.#newPart(value, { value, length, places: [] });
    this.#texts.add(value);
    return { value, length, places: [] };
  }

  /** @param mayHaveParts whether values that were written before become parts; large values always do */
  #members(whole: object, mayHaveParts = true): Divided {
    const places: PartPlace[] = [];
    let copy: object | undefined;
    let length = 2;
    // Everything except arrays and plain objects is written by its own `toJSON`.
    const names = Array.from(namesIn(whole) ?? []);
    for (const name of names) {
      const member = (whole as Record<string | number, unknown>)[name];
      const divided = this.#divide(member, mayHaveParts, names.length === 1);
      length += divided.length + (typeof name === 'string' ? name.length + 4 : 1);
      if (divided.places.length === 0) continue;
      for (const [path, key] of divided.places) {
        places.push([[name, ...path], key]);
        length += 8;
      }
      copy = withMember(whole, copy, name, divided.value);
    }
    return { value: copy ?? whole, length, places };
  }

  #newPart(original: object | string, { value, places }: Divided): Divided {
    this.#lastKey += 1;
    const key = String(this.#lastKey);
    const part: StoredPart = { value: value as Json, ...(places.length > 0 && { places }) };
    this.#set.push({ key, value: part as unknown as Json });
    this.#know(
      key,
      original,
      places.map(([, each]) => each),
    );
    return placeOf(key);
  }

  #know(key: string, value: Json | object, refersTo: readonly string[]): void {
    const isText = typeof value === 'string';
    if (isText) this.#textKeys.set(value, key);
    else if (typeof value === 'object' && value !== null) this.#keys.set(value, key);
    this.#parts.set(key, { uses: 0, refersTo, ...(isText && { text: value }) });
    for (const each of refersTo) this.#parts.get(each)!.uses += 1;
  }

  /** Counts the references of the snapshot to parts. */
  #use(roots: readonly string[]): void {
    for (const key of roots) this.#parts.get(key)!.uses += 1;
    this.#roots = roots;
  }

  #release(key: string, removed: string[]): void {
    const part = this.#parts.get(key)!;
    part.uses -= 1;
    if (part.uses > 0) return;
    this.#parts.delete(key);
    if (part.text !== undefined) this.#textKeys.delete(part.text);
    removed.push(key);
    for (const each of part.refersTo) this.#release(each, removed);
  }
}

/** Reads the stored state of an instance. */
export function stateOf(record: Pick<StoreRecord, 'id' | 'snapshot' | 'parts'>): InstanceState {
  return SnapshotParts.join(record).state;
}

/** A stored part. */
interface KnownPart {
  /** How many places in the snapshot and in parts refer to it. */
  uses: number;
  readonly refersTo: readonly string[];
  readonly text?: string;
}

function keysIn(places: readonly PartPlace[]): readonly string[] {
  return places.map(([, key]) => key);
}

function placeOf(key: string): Divided {
  return { value: null, length: placeLength, places: [[[], key]] };
}

function damagedState(id: string, reason: string): HostError {
  const message = `The state of the instance ${JSON.stringify(id)} cannot be read. ${reason}`;
  return new HostError('host/damaged', message);
}
