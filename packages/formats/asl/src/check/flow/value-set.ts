import { isRecord, type Json, type Path } from '@dramaturg/compiler';
import { hasPlaceholder } from '@dramaturg/compiler/format';
import { hasHole } from '../../definition/field.ts';
import type { State } from '../../definition/machine.ts';

/** The state and field that wrote the data. */
export interface Source {
  readonly state: State;
  /** The field: `ResultSelector`, `Result`, `Catch`. */
  readonly field: string;
  readonly at: Path;
}

export function sourceAt(state: State, field: string, at: Path = [...state.at, field]): Source {
  return { state, field, at };
}

/**
 * The values that may be at a place, as far as they are known before a run. It is never too small: a value that a run can
 * have is in the set. `undefined` is the empty set: there can be no value.
 *
 *     any    ⊇  the union of objects, lists and scalars  ⊇  undefined
 *
 * `sizeOf` a set is limited, so that no definition makes the analysis slow.
 */
export type ValueSet = 'any' | SomeValues;

interface SomeValues {
  /** Objects; undefined when no value is one. */
  readonly object?: Fields;
  /** Lists; undefined when no value is one. */
  readonly list?: Elements;
  /** Whether strings, numbers, truth values or null are among the values. */
  readonly scalar: boolean;
  /** Some of the sources of the values. */
  readonly sources: readonly Source[];
  readonly size: number;
}

interface Fields {
  readonly known: ReadonlyMap<string, ValueSet>;
  /** Whether there may be other fields, with any values. */
  readonly isOpen: boolean;
}

interface Elements {
  /** The elements by position, when the length is known. */
  readonly items?: readonly ValueSet[];
  /** The values that any element may have; undefined when the lists are empty. */
  readonly each: ValueSet | undefined;
}

const largest = 128;
const mostSources = 3;

export function sizeOf(values: ValueSet | undefined): number {
  return values === undefined || values === 'any' ? 1 : values.size;
}

export function scalarFrom(sources: readonly Source[]): ValueSet {
  return { scalar: true, sources, size: 1 };
}

export function objectOf(
  known: ReadonlyMap<string, ValueSet>,
  sources: readonly Source[],
  isOpen = false,
): ValueSet {
  return limited({ object: { known, isOpen }, scalar: false, sources });
}

export function listOf(items: readonly ValueSet[], sources: readonly Source[]): ValueSet {
  let each: ValueSet | undefined;
  for (const item of items) each = union(each, item);
  return limited({ list: { items, each }, scalar: false, sources });
}

/** Lists of any length. */
export function listOfEach(each: ValueSet | undefined, sources: readonly Source[]): ValueSet {
  return limited({ list: { each }, scalar: false, sources });
}

/** Forgets the values of fields and elements, and then everything, when the set is too large. */
function limited(values: Omit<SomeValues, 'size'>): ValueSet {
  const size = count(values);
  if (size <= largest) return { ...values, size };
  const { object, list } = values;
  if ((object?.known.size ?? 0) + 2 > largest) return 'any';
  const known = new Map(Array.from(object?.known.keys() ?? [], (name) => [name, 'any' as const]));
  return {
    ...values,
    ...(object && { object: { known, isOpen: object.isOpen } }),
    ...(list && { list: { each: 'any' } }),
    size: known.size + 2,
  };
}

function count({ object, list }: Omit<SomeValues, 'size'>): number {
  let size = 1;
  if (object) for (const value of object.known.values()) size += sizeOf(value);
  if (list) for (const item of list.items ?? []) size += sizeOf(item);
  return size + sizeOf(list?.each);
}

/** The smallest set with the values of both; the first set itself when it has all of them. */
export function union(
  one: ValueSet | undefined,
  other: ValueSet | undefined,
): ValueSet | undefined {
  if (one === other || other === undefined || one === 'any') return one;
  if (one === undefined || other === 'any') return other;
  const object = unionOfFields(one.object, other.object);
  const list = unionOfElements(one.list, other.list);
  const scalar = one.scalar || other.scalar;
  if (object === one.object && list === one.list && scalar === one.scalar) return one;
  const sources = [...new Set([...one.sources, ...other.sources])].slice(0, mostSources);
  return limited({ ...(object && { object }), ...(list && { list }), scalar, sources });
}

function unionOfFields(one: Fields | undefined, other: Fields | undefined): Fields | undefined {
  if (one === other || !other) return one;
  if (!one) return other;
  const isOpen = one.isOpen || other.isOpen;
  const known = new Map<string, ValueSet>();
  let isSame = isOpen === one.isOpen;
  for (const [name, value] of one.known) {
    const added = other.known.get(name) ?? (other.isOpen ? 'any' : undefined);
    const all = union(value, added)!;
    if (all !== value) isSame = false;
    // In an open object any field may be there.
    if (all !== 'any' || !isOpen) known.set(name, all);
  }
  for (const [name, value] of other.known) {
    if (one.known.has(name) || one.isOpen) continue;
    isSame = false;
    known.set(name, value);
  }
  return isSame ? one : { known, isOpen };
}

function unionOfElements(
  one: Elements | undefined,
  other: Elements | undefined,
): Elements | undefined {
  if (one === other || !other) return one;
  if (!one) return other;
  const each = union(one.each, other.each);
  if (one.items?.length !== other.items?.length || !one.items) {
    return each === one.each && !one.items ? one : { each };
  }
  const items = one.items.map((item, index) => union(item, other.items![index])!);
  const isSame = each === one.each && items.every((item, index) => item === one.items![index]);
  return isSame ? one : { items, each };
}

/** The set of one value. A string that is filled later, or a value that is too deep, may be anything. */
export function literal(value: Json, sources: readonly Source[], depth = 0): ValueSet {
  if (isUnfilled(value) || depth > deepest) return 'any';
  if (Array.isArray(value)) {
    if (value.length > largest) return 'any';
    return listOf(
      value.map((item: Json) => literal(item, sources, depth + 1)),
      sources,
    );
  }
  if (!isRecord(value)) return scalarFrom(sources);
  const entries = Object.entries(value);
  if (entries.length > largest) return 'any';
  const known = entries.map(([name, item]): [string, ValueSet] => [
    name,
    literal(item, sources, depth + 1),
  ]);
  return objectOf(
    new Map(known.filter(([name]) => !isUnfilled(name))),
    sources,
    known.some(([name]) => isUnfilled(name)),
  );
}

/** Deeper than any data that is written by hand. */
export const deepest = 50;

/** Whether a string is known only once the definition is deployed or included. */
export function isUnfilled(text: unknown): boolean {
  return typeof text === 'string' && (hasPlaceholder(text) || hasHole(text));
}

/** The values of a field. */
export function fieldIn(values: ValueSet, name: string): ValueSet | undefined {
  if (values === 'any') return 'any';
  const { object } = values;
  return object?.known.get(name) ?? (object?.isOpen ? 'any' : undefined);
}

/** The values of the element at an index, 0 or more. */
export function itemIn(values: ValueSet, index: number): ValueSet | undefined {
  if (values === 'any') return 'any';
  const { items, each } = values.list ?? { each: undefined };
  return items ? items[index] : each;
}

/** The values of all elements. */
export function elementsIn(values: ValueSet): ValueSet | undefined {
  return values === 'any' ? 'any' : values.list?.each;
}

/** The objects of a set with a field set to some values. Without an object, the result has only this field. */
export function withField(
  values: ValueSet | undefined,
  name: string,
  value: ValueSet,
  sources: readonly Source[],
): ValueSet {
  if (values === 'any') return objectOf(new Map([[name, value]]), sources, true);
  const object = values?.object;
  if (!values || !object) return objectOf(new Map([[name, value]]), sources);
  const known = new Map(object.known).set(name, value);
  const changed = {
    object: { known, isOpen: object.isOpen },
    scalar: false,
    sources: values.sources,
  };
  // Counting all fields for each new one would take time in proportion to the square of their number.
  if (values.scalar || values.list) return limited(changed);
  const size =
    values.size + sizeOf(value) - (object.known.has(name) ? sizeOf(object.known.get(name)) : 0);
  return size <= largest ? { ...changed, size } : limited(changed);
}
