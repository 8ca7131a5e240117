import type { Chart } from '../chart/chart.ts';
import type { Position } from '../diagnostic.ts';
import { isRecord, type Json, type Path, printPath } from '../json.ts';
import type { Source } from '../read/source.ts';
import { type DefinitionPart, matchParts, type Outline, partsIn } from './match-parts.ts';

/** A part of a definition in the author's words: `{ noun: 'task', name: 'facts' }`. */
export interface PartName {
  readonly noun: string;
  readonly name: string;
}

/** The place of a part in the text of its definition. */
interface PartPlace extends Pick<Position, 'line' | 'column'> {
  readonly path: Path;
}

interface ChangeOf<Kind extends string> {
  readonly change: Kind;
  /** The part, with the parts around it, the outermost first; empty for the definition itself. */
  readonly part: readonly PartName[];
  /** Where it is in the old definition; absent from an added part. */
  readonly old?: PartPlace;
  /** Where it is in the new definition; absent from a removed part. */
  readonly new?: PartPlace;
}

/** A difference between two definitions. */
export type DefinitionChange =
  | ChangeOf<'added' | 'removed'>
  /** The part has another name, but similar content. */
  | (ChangeOf<'renamed'> & { readonly from: string; readonly to: string })
  /** The part has another position among its siblings, counted from 1. */
  | (ChangeOf<'moved'> & { readonly from: number; readonly to: number })
  /** A field has another value. `from` or `to` is absent when the field does not exist there. */
  | (ChangeOf<'changed'> & { readonly field: string; readonly from?: Json; readonly to?: Json });

/** The place of the part at a path in the definition as authored. */
function placeIn(source: Source, path: Path): PartPlace {
  const { line, column } = source.locate(path).start;
  return { path, line, column };
}

/** A definition to compare: a result of `check` without errors. */
export interface ComparedDefinition {
  readonly source: Source;
  readonly filled?: unknown;
  readonly definition?: unknown;
  /** Absent while placeholders have no values. */
  readonly chart?: Chart;
}

/** The field of a change of last resort: the machines differ although no field does. */
const compiledMachine = 'compiled machine';

/**
 * Compares two definitions of one format in the author's terms. Ignores formatting, comments, the order of keys and different
 * spellings of the same thing. Definitions without changes compile to the same machine.
 */
export function compareDefinitions(
  before: ComparedDefinition,
  after: ComparedDefinition,
  outline: Outline,
): readonly DefinitionChange[] {
  const [one, other] = [before, after].map(({ definition, filled }) =>
    partsIn(definition, filled, outline),
  ) as [DefinitionPart, DefinitionPart];
  // The first pass finds renamed parts. The second pass knows which references mean the same part.
  const first = new Comparison(before.source, after.source, outline, new Map());
  first.compare(one, other, []);
  const { renamed } = first;
  const comparison = new Comparison(before.source, after.source, outline, renamed);
  comparison.compare(one, other, []);
  const { changes } = comparison;
  if (changes.length > 0 || !before.chart || !after.chart) return changes;
  if (isSameMachine(before.chart, after.chart)) return [];
  const authored = authoredChanges(before, after);
  if (authored.length > 0) return authored;
  return [{ change: 'changed', part: [], field: compiledMachine }];
}

/** Names of renamed parts by noun: the new names of each old one. */
type Renamed = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

class Comparison {
  readonly changes: DefinitionChange[] = [];
  readonly renamed = new Map<string, Map<string, Set<string>>>();
  readonly #before: Source;
  readonly #after: Source;
  readonly #outline: Outline;
  readonly #known: Renamed;

  constructor(before: Source, after: Source, outline: Outline, known: Renamed) {
    this.#before = before;
    this.#after = after;
    this.#outline = outline;
    this.#known = known;
  }

  /** @param part the names of the parts around and of the part itself, as the new definition has them */
  compare(before: DefinitionPart, after: DefinitionPart, part: readonly PartName[]): void {
    const names = new Set([...after.fields.keys(), ...before.fields.keys()]);
    for (const field of names) {
      const [from, to] = [before.fields.get(field), after.fields.get(field)];
      if (this.#isSame(from?.value, to?.value, referenceIn(field))) continue;
      this.changes.push({
        change: 'changed',
        part,
        field,
        ...(from && { from: from.value, old: placeIn(this.#before, from.at) }),
        ...(to && { to: to.value, new: placeIn(this.#after, to.at) }),
      });
    }
    const lists = new Set([...after.lists.keys(), ...before.lists.keys()]);
    for (const list of lists)
      this.#compareLists(before.lists.get(list) ?? [], after.lists.get(list) ?? [], part);
  }

  #compareLists(
    before: readonly DefinitionPart[],
    after: readonly DefinitionPart[],
    around: readonly PartName[],
  ): void {
    const { references } = this.#outline;
    const { pairs, removed, added } = matchParts(before, after, references, (one, other) =>
      this.#isSameName(one, other),
    );
    for (const each of removed)
      this.changes.push({
        change: 'removed',
        part: [...around, nameOf(each)],
        old: placeIn(this.#before, each.at),
      });
    const moved = movedIn(pairs, before);
    const unmatched = new Set(added);
    for (const [index, other] of after.entries()) {
      const part = [...around, nameOf(other)];
      if (unmatched.has(other)) {
        this.changes.push({ change: 'added', part, new: placeIn(this.#after, other.at) });
        continue;
      }
      const one = pairs.find(([, counterpart]) => counterpart === other)![0];
      const places = { old: placeIn(this.#before, one.at), new: placeIn(this.#after, other.at) };
      const { id, noun } = other.kind!;
      if (id !== undefined && one.name !== other.name) {
        this.changes.push({ change: 'renamed', part, from: one.name, to: other.name, ...places });
        this.#rename(noun, one.name, other.name);
      }
      if (moved.has(other))
        this.changes.push({
          change: 'moved',
          part,
          from: before.indexOf(one) + 1,
          to: index + 1,
          ...places,
        });
      this.compare(one, other, part);
    }
  }

  #rename(noun: string, from: string, to: string): void {
    const names = this.renamed.get(noun) ?? new Map<string, Set<string>>();
    this.renamed.set(noun, names);
    names.set(from, new Set([...(names.get(from) ?? []), to]));
  }

  #isSameName(one: DefinitionPart, other: DefinitionPart): boolean {
    if (one.name === other.name) return true;
    if (one.kind!.id !== undefined) return false;
    // A part without a name of its own is named after other parts, which may have been renamed.
    let name = one.name;
    for (const [noun, names] of this.#known) {
      if (!Object.values(this.#outline.references).includes(noun)) continue;
      for (const [from, to] of names)
        for (const each of to)
          if (isNamedIn(one, from) && isNamedIn(other, each)) name = name.replace(from, () => each);
    }
    return name === other.name;
  }

  /** @param name the name of the innermost field, which decides whether a string names a part */
  #isSame(from: Json | undefined, to: Json | undefined, name: string): boolean {
    if (typeof from === 'string' && typeof to === 'string') {
      const noun = this.#nounOf(name);
      return from === to || (noun !== undefined && this.#isRenamed(noun, from, to));
    }
    if (Array.isArray(from) && Array.isArray(to))
      return (
        from.length === to.length && from.every((each, at) => this.#isSame(each, to[at], name))
      );
    if (!isRecord(from) || !isRecord(to)) return from === to;
    const names = Object.keys(from);
    return (
      names.length === Object.keys(to).length &&
      names.every(
        (each) =>
          Object.hasOwn(to, each) && this.#isSame(from[each] as Json, to[each] as Json, each),
      )
    );
  }

  #isRenamed(noun: string, from: string, to: string): boolean {
    return this.#known.get(noun)?.get(from)?.has(to) === true;
  }

  #nounOf(field: string): string | undefined {
    const { references } = this.#outline;
    const name = referenceIn(field);
    return Object.hasOwn(references, name) ? references[name] : undefined;
  }
}

/** Whether a field of a part contains a string, at any depth. */
function isNamedIn({ fields }: DefinitionPart, text: string): boolean {
  const quoted = JSON.stringify(text);
  return [...fields.values()].some(({ value }) => JSON.stringify(value).includes(quoted));
}

/** The last name of a field: `target` of `way.target`. */
function referenceIn(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

function nameOf({ kind, name }: DefinitionPart): PartName {
  return { noun: kind!.noun, name };
}

/** Whether two charts are the same machine. Ignores where their parts are written. */
function isSameMachine(one: Chart, other: Chart): boolean {
  return canonical(one) === canonical(other);
}

function canonical(chart: Chart): string {
  return JSON.stringify(chart, (key, value: unknown) => {
    if (key === 'origin' || key === 'operands') return undefined;
    // Lists in `meta` are for people and models. Their order is ignored: where it matters, parts have moved.
    if (key === 'meta') return canonicalMeta(value);
    return isRecord(value) ? withSortedKeys(value) : value;
  });
}

function canonicalMeta(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item) => JSON.stringify(canonicalMeta(item) ?? null)).toSorted();
  if (!isRecord(value)) return value;
  return withSortedKeys(
    Object.fromEntries(Object.entries(value).map(([key, item]) => [key, canonicalMeta(item)])),
  );
}

function withSortedKeys(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

interface Authored {
  readonly source: Source;
  /** The definition as authored. */
  readonly filled?: unknown;
}

/** The differences between two definitions as authored, by path: for parts that no outline describes. */
function authoredChanges(before: Authored, after: Authored): readonly DefinitionChange[] {
  const changes: DefinitionChange[] = [];
  const compare = (from: unknown, to: unknown, path: Path): void => {
    if (JSON.stringify(from) === JSON.stringify(to)) return;
    const areLists = Array.isArray(from) && Array.isArray(to);
    if (areLists || (isRecord(from) && isRecord(to))) {
      const [one, other] = [from, to] as [Record<string, unknown>, Record<string, unknown>];
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
        compare(own(one, key), own(other, key), [...path, areLists ? Number(key) : key]);
      return;
    }
    changes.push({
      change: 'changed',
      part: [],
      field: printPath(path),
      ...(from !== undefined && { from: from as Json, old: placeIn(before.source, path) }),
      ...(to !== undefined && { to: to as Json, new: placeIn(after.source, path) }),
    });
  };
  compare(before.filled, after.filled, []);
  return changes;
}

function own(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

type Pairs = readonly (readonly [before: DefinitionPart, after: DefinitionPart])[];

/**
 * The parts that have moved in a new list: the fewest whose removal leaves the others in the old order.
 *
 * @param pairs the parts that both lists have, in the order of the new list
 */
function movedIn(pairs: Pairs, before: readonly DefinitionPart[]): ReadonlySet<DefinitionPart> {
  const order = pairs[0]?.[1].kind?.order;
  if (order === undefined || order === 'free') return new Set();
  if (order === 'matters') return new Set(movedAmong(pairs, before));
  const names = new Set(pairs.map(([, { name }]) => name));
  if (names.size === pairs.length) return new Set();
  return new Set(
    [...names].flatMap((name) =>
      movedAmong(
        pairs.filter(([, other]) => other.name === name),
        before,
      ),
    ),
  );
}

function movedAmong(pairs: Pairs, before: readonly DefinitionPart[]): readonly DefinitionPart[] {
  const positions = new Map(before.map((part, index) => [part, index]));
  const kept = longestIncreasing(pairs.map(([one]) => positions.get(one)!));
  return pairs.flatMap(([, other], index) => (kept.has(index) ? [] : [other]));
}

/** The indexes of a longest increasing subsequence of distinct numbers, in O(n log n). */
function longestIncreasing(numbers: readonly number[]): ReadonlySet<number> {
  /** The index of the smallest last number of a sequence, by the length of the sequence minus 1. */
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [index, number] of numbers.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    before[index] = ends[low - 1];
    ends[low] = index;
  }
  const kept = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = before[at]) kept.add(at);
  return kept;
}
