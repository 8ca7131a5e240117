import { isRecord, type Json, type Path } from '../json.ts';

/** How the definitions of a format are divided into parts that authors have names for. Used by comparisons. */
export interface Outline {
  readonly parts: readonly PartKind[];
  /** Fields that name another part, and its noun: the name of a renamed part is the same there. */
  readonly references: Readonly<Record<string, string>>;
  /** Fields that are compared as one value, such as conditions. */
  readonly whole: readonly string[];
  /** Fields of the normalised definition that say where something is written, or that follow from others. */
  readonly derived: readonly string[];
  /** The field with a part as authored. Its fields that normalising does not read are compared too. */
  readonly authored?: string;
  /** Fields with parts of another text. Their positions mean nothing in the text of the definition. */
  readonly elsewhere?: readonly string[];
}

/** A kind of part that a definition has lists of. */
export interface PartKind {
  /** The field of the list in the normalised definition. */
  readonly list: string;
  /** The author's word for a part: `task`. */
  readonly noun: string;
  /** The field that names the part among its siblings. Parts without such a field differ in what `name` returns. */
  readonly id?: string;
  /** The name of a part without an `id`: `to "urgent"`. */
  readonly name?: (part: Readonly<Record<string, unknown>>, index: number) => string;
  /** Whether the order of the parts matters: of all parts, or only of parts with the same name. */
  readonly order: 'matters' | 'matters among equal names' | 'free';
}

/** A part of a definition: its authored fields, and the parts in it. */
export interface DefinitionPart {
  /** Undefined for the definition itself. */
  readonly kind: PartKind | undefined;
  readonly name: string;
  /** The path in the definition as authored. */
  readonly at: Path;
  /** The values of its fields, by their names: `goal.objective`. */
  readonly fields: ReadonlyMap<string, PartField>;
  /** Its parts, by the names of the lists. */
  readonly lists: ReadonlyMap<string, readonly DefinitionPart[]>;
}

interface PartField {
  /** With sorted keys and without places. */
  readonly value: Json;
  readonly at: Path;
}

/** Divides a normalised definition into parts. @param filled the definition as authored: its objects are data of the author */
export function partsIn(definition: unknown, filled: unknown, outline: Outline): DefinitionPart {
  return new PartReader(outline, objectsIn(filled)).part(definition, undefined, 0, {
    at: [],
    isElsewhere: false,
  });
}

interface Position {
  readonly at: Path;
  /** The part is in another text, so its paths do not count. */
  readonly isElsewhere: boolean;
}

class PartReader {
  readonly #outline: Outline;
  readonly #authored: ReadonlySet<unknown>;
  readonly #derived: ReadonlySet<string>;

  constructor(outline: Outline, authored: ReadonlySet<unknown>) {
    this.#outline = outline;
    this.#authored = authored;
    this.#derived = new Set(outline.derived);
  }

  part(
    value: unknown,
    kind: PartKind | undefined,
    index: number,
    around: Position,
  ): DefinitionPart {
    const record = isRecord(value) ? value : {};
    const position = this.#positionOf(record, around);
    const fields = new Map<string, PartField>();
    const lists = new Map<string, readonly DefinitionPart[]>();
    this.#read(record, '', position, kind?.id, fields, lists);
    const id = kind?.id === undefined ? undefined : record[kind.id];
    const name = kind?.name?.(record, index) ?? (typeof id === 'string' ? id : `${index + 1}`);
    return { kind, name, at: position.at, fields, lists };
  }

  #positionOf({ at }: Readonly<Record<string, unknown>>, around: Position): Position {
    if (around.isElsewhere || !isPath(at)) return around;
    return { ...around, at };
  }

  #read(
    record: Readonly<Record<string, unknown>>,
    prefix: string,
    position: Position,
    id: string | undefined,
    fields: Map<string, PartField>,
    lists: Map<string, readonly DefinitionPart[]>,
  ): void {
    const { parts, whole, elsewhere = [], authored = '' } = this.#outline;
    for (const [key, value] of Object.entries(record)) {
      if (value === undefined || this.#derived.has(key) || (prefix === '' && key === id)) continue;
      if (key === authored) {
        this.#readUnread(value, record, prefix, position, fields);
        continue;
      }
      const name = `${prefix}${key}`;
      const isElsewhere = position.isElsewhere || elsewhere.includes(key);
      const inner = { at: isElsewhere ? position.at : [...position.at, key], isElsewhere };
      const kind = parts.find(({ list }) => list === key);
      if (kind && Array.isArray(value) && value.every((part) => isRecord(part))) {
        const listed = value.map((part, index) => this.part(part, kind, index, inner));
        lists.set(name, listed);
      } else if (!isRecord(value) || whole.includes(key) || this.#authored.has(value)) {
        const place = isRecord(value) ? this.#positionOf(value, inner) : inner;
        fields.set(name, { value: this.#plain(value), at: place.at });
      } else {
        const place = this.#positionOf(value, inner);
        const names = Object.keys(value).filter((each) => !this.#derived.has(each));
        // The object has only a value and its place.
        if (names.length === 1 && names[0] === 'value')
          fields.set(name, { value: this.#plain(value['value']), at: place.at });
        else this.#read(value, `${name}.`, place, undefined, fields, lists);
      }
    }
  }

  /** Reads the fields of a part as authored that normalising ignores. */
  #readUnread(
    authored: unknown,
    record: Readonly<Record<string, unknown>>,
    prefix: string,
    { at }: Position,
    fields: Map<string, PartField>,
  ): void {
    for (const [key, value] of Object.entries(isRecord(authored) ? authored : {}))
      if (!Object.hasOwn(record, key) && !this.#derived.has(key))
        fields.set(`${prefix}${key}`, { value: this.#plain(value), at: [...at, key] });
  }

  /** A value with sorted keys. Data of the author is kept, even if it looks like a place. */
  #plain(value: unknown): Json {
    if (Array.isArray(value)) return value.map((item) => this.#plain(item));
    if (!isRecord(value)) return (value ?? null) as Json;
    const isData = this.#authored.has(value);
    const names = Object.keys(value).toSorted();
    return Object.fromEntries(
      names.flatMap((name) =>
        value[name] === undefined ||
        (!isData && (this.#derived.has(name) || name === this.#outline.authored))
          ? []
          : [[name, this.#plain(value[name])]],
      ),
    );
  }
}

function isPath(value: unknown): value is Path {
  return (
    Array.isArray(value) && value.every((key) => typeof key === 'string' || typeof key === 'number')
  );
}

/** All objects and lists in a value. */
function objectsIn(value: unknown): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const pending = [value];
  for (const each of pending) {
    if (typeof each !== 'object' || each === null || found.has(each)) continue;
    found.add(each);
    pending.push(...(Object.values(each) as unknown[]));
  }
  return found;
}

/** The parts of two lists that are the same part. */
interface MatchedParts {
  /** In the order of the new list. */
  readonly pairs: readonly (readonly [before: DefinitionPart, after: DefinitionPart])[];
  readonly removed: readonly DefinitionPart[];
  readonly added: readonly DefinitionPart[];
}

/** From this similarity on, two parts with different names are the same part. */
const similarityMin = 0.6;
/** Parts with fewer common words are too small to be recognised by content. */
const commonWordsMin = 3;
/** Content is compared pair by pair, so only in lists up to this length. */
const comparedMax = 200;

/**
 * Finds the parts of two lists that belong together: parts with the same name, then those with similar content.
 *
 * @param references fields that name other parts
 * @param isSameName whether two names are the same, such as two transitions to a state that was renamed
 */
export function matchParts(
  before: readonly DefinitionPart[],
  after: readonly DefinitionPart[],
  references: Readonly<Record<string, string>>,
  isSameName: (before: DefinitionPart, after: DefinitionPart) => boolean,
): MatchedParts {
  const partners = new Map<DefinitionPart, DefinitionPart>();
  const taken = new Set<DefinitionPart>();
  const pair = (one: DefinitionPart, other: DefinitionPart) => {
    partners.set(other, one);
    taken.add(one);
  };
  const isFree = (one: DefinitionPart, other: DefinitionPart) =>
    !taken.has(one) && !partners.has(other);
  const byName = (isToo: (one: DefinitionPart, other: DefinitionPart) => boolean) => {
    for (const other of after)
      for (const one of before)
        if (isFree(one, other) && isSameName(one, other) && isToo(one, other)) {
          pair(one, other);
          break;
        }
  };
  // Several parts may have one name, such as transitions to the same state: equal ones are matched first.
  if (new Set(after.map(({ name }) => name)).size < after.length) byName(isEqualPart);
  byName(() => true);
  for (const [one, other] of similarPairs(
    before.filter((each) => !taken.has(each)),
    after.filter((each) => !partners.has(each)),
    references,
  ))
    if (isFree(one, other)) pair(one, other);
  return {
    pairs: after.flatMap((other) =>
      partners.has(other) ? [[partners.get(other)!, other] as const] : [],
    ),
    removed: before.filter((one) => !taken.has(one)),
    added: after.filter((other) => !partners.has(other)),
  };
}

/** Pairs of similar parts, the most similar first. */
function similarPairs(
  before: readonly DefinitionPart[],
  after: readonly DefinitionPart[],
  references: Readonly<Record<string, string>>,
): readonly (readonly [DefinitionPart, DefinitionPart])[] {
  if (before.length > comparedMax || after.length > comparedMax) return [];
  const words = new Map<DefinitionPart, PartWords>(
    [...before, ...after].map((part) => [part, wordsIn(part, references)]),
  );
  const found: {
    readonly pair: readonly [DefinitionPart, DefinitionPart];
    readonly by: number;
    readonly order: readonly [number, number];
  }[] = [];
  for (const [from, one] of before.entries()) {
    // A part without a name of its own is identified by its content.
    const wordsMin = one.kind?.id === undefined ? 1 : commonWordsMin;
    for (const [to, other] of after.entries()) {
      const [first, second] = [words.get(one)!, words.get(other)!];
      const by = similarityOf(first, second);
      if (by >= similarityMin && commonWords(first, second) >= wordsMin)
        found.push({ pair: [one, other], by, order: [Math.abs(from - to), from + to] });
    }
  }
  // Among equally similar pairs, the nearest come first, so that a comparison in the other direction finds the same pairs.
  return found
    .toSorted((a, b) => b.by - a.by || a.order[0] - b.order[0] || a.order[1] - b.order[1])
    .map(({ pair }) => pair);
}

/** Whether two parts have the same content. */
function isEqualPart(one: DefinitionPart, other: DefinitionPart): boolean {
  if (one.fields.size !== other.fields.size || one.lists.size !== other.lists.size) return false;
  for (const [name, { value }] of one.fields) {
    const counterpart = other.fields.get(name);
    if (!counterpart || JSON.stringify(value) !== JSON.stringify(counterpart.value)) return false;
  }
  for (const [name, parts] of one.lists) {
    const counterparts = other.lists.get(name);
    if (counterparts?.length !== parts.length) return false;
    if (!parts.every((part, index) => isEqualPart(part, counterparts[index]!))) return false;
  }
  return true;
}

/** The content of a part, as words with their counts. */
type PartWords = ReadonlyMap<string, number>;

/** The words in a part, at any depth. Its own name does not count, and neither do fields that name other parts. */
function wordsIn(part: DefinitionPart, references: Readonly<Record<string, string>>): PartWords {
  const words = new Map<string, number>();
  const add = (word: string) => words.set(word, (words.get(word) ?? 0) + 1);
  const visit = ({ fields, lists }: DefinitionPart): void => {
    for (const [name, { value }] of fields)
      if (!Object.hasOwn(references, name))
        for (const word of wordsOf(value)) add(`${name} ${word}`);
    for (const [list, parts] of lists) {
      for (const inner of parts) {
        add(`${list} ${inner.name}`);
        visit(inner);
      }
    }
  };
  visit(part);
  return words;
}

/** How much two parts have in common: 0 is nothing, 1 is all. */
function similarityOf(one: PartWords, other: PartWords): number {
  const [all, common] = [sizeOf(one) + sizeOf(other), commonWords(one, other)];
  return all === 0 ? 0 : (2 * common) / all;
}

/** How many words two parts have in common. */
function commonWords(one: PartWords, other: PartWords): number {
  let common = 0;
  for (const [word, count] of one) common += Math.min(count, other.get(word) ?? 0);
  return common;
}

function sizeOf(words: PartWords): number {
  let size = 0;
  for (const count of words.values()) size += count;
  return size;
}

/** Empty values are defaults, so they do not identify a part. */
function wordsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return value.split(/\s+/).filter(Boolean);
  if (value === null || value === false) return [];
  if (Array.isArray(value) && value.length === 0) return [];
  return [JSON.stringify(value)];
}
