import type { Path } from '../json.ts';
import type { Span } from './positions.ts';

/** The columns of a row. `next` is the row after the value's last descendant. */
const columns = 5;
const [startColumn, endColumn, nextColumn, keyStartColumn, keyEndColumn] = [0, 1, 2, 3, 4] as const;

export interface Key extends Span {
  readonly name: string;
}

/** A step from a value to its part at an offset. */
interface Step {
  readonly place: number;
  readonly key: string | number;
  readonly isAround: boolean;
}

/**
 * The location of each part of a value in the text. A table with one row a part, in the order of the text, so that the
 * children of a row follow it. A row is five integers instead of an object, because five megabytes can hold a million values.
 *
 * A duplicate key has two rows. The last one counts, as in the value.
 */
export class ValueLocations {
  private rows = new Int32Array(columns * 256);
  private readonly names: (string | undefined)[] = [];
  private readonly members = new Map<number, ReadonlyMap<string, number>>();
  private readonly elements = new Map<number, readonly number[]>();

  get count(): number {
    return this.names.length;
  }

  /** Appends a value and returns its row. Call `close` after the last part of an object or a list. */
  add(start: number, end: number, key?: Key): number {
    const place = this.names.length;
    const row = place * columns;
    if (row === this.rows.length) {
      const rows = new Int32Array(this.rows.length * 2);
      rows.set(this.rows);
      this.rows = rows;
    }
    this.rows[row + startColumn] = start;
    this.rows[row + endColumn] = end;
    this.rows[row + nextColumn] = place + 1;
    this.rows[row + keyStartColumn] = key?.start ?? -1;
    this.rows[row + keyEndColumn] = key?.end ?? -1;
    this.names.push(key?.name);
    return place;
  }

  close(place: number, end: number): void {
    this.rows[place * columns + endColumn] = end;
    this.rows[place * columns + nextColumn] = this.count;
  }

  /** The key of the first member with this name. Works without the index, because the object is still open. */
  firstKey(object: number, name: string): Span | undefined {
    for (let child = object + 1; child < this.count; child = this.cell(child, nextColumn)) {
      if (this.names[child] === name) return this.keySpan(child);
    }
    return undefined;
  }

  /** The location of the deepest part that exists on the path; undefined when the table is empty. */
  locate(path: Path, part: 'value' | 'key'): Span | undefined {
    if (this.count === 0) return undefined;
    let place = 0;
    for (const step of path) {
      const child = this.child(place, step);
      if (child === undefined) return this.valueSpan(place);
      place = child;
    }
    return part === 'key' && this.names[place] !== undefined
      ? this.keySpan(place)
      : this.valueSpan(place);
  }

  /** The path to the innermost part at an offset. The key or tag of a part belongs to it. */
  pathAt(offset: number): Path {
    const path: (string | number)[] = [];
    let step = this.stepTo(offset, 0);
    while (step) {
      path.push(step.key);
      step = step.isAround ? this.stepTo(offset, step.place) : undefined;
    }
    return path;
  }

  /**
   * The last child that touches the offset: of two adjacent children, the second. An offset before a list item and outside of all
   * items belongs to that item.
   */
  private stepTo(offset: number, place: number): Step | undefined {
    let found: Step | undefined;
    let index = 0;
    for (const child of this.children(place)) {
      const name = this.names[child];
      const start = this.cell(child, name === undefined ? startColumn : keyStartColumn);
      const isAround = start <= offset && offset <= this.cell(child, endColumn);
      if (isAround || (name === undefined && !found && offset < start)) {
        found = { place: child, key: name ?? index, isAround };
      }
      index += 1;
    }
    return found;
  }

  private child(place: number, step: string | number): number | undefined {
    if (this.names[place + 1] === undefined)
      return typeof step === 'number' ? this.elementsOf(place)[step] : undefined;
    return this.membersOf(place).get(String(step));
  }

  /** Built on first use, so that a thousand findings about one long list cost one walk. */
  private elementsOf(place: number): readonly number[] {
    let elements = this.elements.get(place);
    if (!elements) this.elements.set(place, (elements = [...this.children(place)]));
    return elements;
  }

  private membersOf(place: number): ReadonlyMap<string, number> {
    let members = this.members.get(place);
    if (!members) {
      members = new Map(
        Array.from(this.children(place), (child) => [this.names[child] ?? '', child]),
      );
      this.members.set(place, members);
    }
    return members;
  }

  private *children(place: number): Generator<number> {
    const end = this.cell(place, nextColumn);
    for (let child = place + 1; child < end; child = this.cell(child, nextColumn)) yield child;
  }

  private valueSpan(place: number): Span {
    return { start: this.cell(place, startColumn), end: this.cell(place, endColumn) };
  }

  private keySpan(place: number): Span {
    return { start: this.cell(place, keyStartColumn), end: this.cell(place, keyEndColumn) };
  }

  private cell(place: number, column: number): number {
    return this.rows[place * columns + column] ?? 0;
  }
}

/** The result of a parser. Without a value (nothing could be read) there are no locations either. */
export interface ReadContent {
  readonly value: unknown;
  readonly locations: ValueLocations;
}

export function noContent(): ReadContent {
  return { value: undefined, locations: new ValueLocations() };
}
