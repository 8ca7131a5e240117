import { isRecord, type Json } from '../json.ts';
import type { Path } from '../path.ts';
import type { Outline, PartKind } from './outline.ts';

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

export interface PartField {
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
