import { isRecord, type Path } from '@dramaturg/compiler';
import type { Problem, Report } from '@dramaturg/compiler/format';

/** The most entries of a list that are read, because rules may compare each entry with all others. */
export const longestList = 1_000;

/** What a reader makes of a part. A field that may be undefined may be left out. */
export type ReadBy<Reader> = Reader extends (...given: never[]) => infer Part
  ? { readonly [Name in keyof Part as undefined extends Part[Name] ? never : Name]: Part[Name] } & {
      readonly [Name in keyof Part as undefined extends Part[Name] ? Name : never]?: Part[Name];
    }
  : never;

/** What reading a definition reports to. */
interface Reading {
  readonly report: Report;
  readonly tooMany?: (count: number, limit: number) => Problem;
}

/** An object of a definition as authored. A value of a wrong shape is read as absent, and the shape check reports it. */
export class Fields {
  readonly values: Readonly<Record<string, unknown>>;
  readonly at: Path;
  readonly #reading: Reading;

  constructor(values: unknown, at: Path, reading: Reading) {
    this.values = isRecord(values) ? values : {};
    this.at = at;
    this.#reading = reading;
  }

  /** The same place with other values. */
  with(values: Readonly<Record<string, unknown>>): Fields {
    return new Fields(values, this.at, this.#reading);
  }

  path(...steps: Path): Path {
    return [...this.at, ...steps];
  }

  /** Reports a problem of a field, or of a place within. */
  report(problem: Problem, field: string | Path, details?: Parameters<Report>[2]): void {
    this.reportAt(problem, this.path(...[field].flat()), details);
  }

  readonly reportAt: Report = (problem, path, details) => {
    this.#reading.report(problem, path, details);
  };

  /** The string of the first of these fields that has one. */
  optional(...names: readonly string[]): string | undefined {
    return names.map((name) => this.values[name]).find((value) => typeof value === 'string');
  }

  /** The same, or an empty string. */
  text(...names: readonly string[]): string {
    return this.optional(...names) ?? '';
  }

  /** The strings of several fields, by their names. */
  texts<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, string>> {
    return Object.fromEntries(names.map((name) => [name, this.text(name)])) as never;
  }

  number(name: string): number | undefined {
    const value = this.values[name];
    return typeof value === 'number' ? value : undefined;
  }

  integer(name: string): number | undefined {
    return Number.isSafeInteger(this.values[name]) ? this.number(name) : undefined;
  }

  /** The field, if it is one of these words. */
  word<Word extends string>(name: string, ...words: readonly Word[]): Word | undefined {
    return words.find((one) => one === this.values[name]);
  }

  record(name: string): Fields | undefined {
    return isRecord(this.values[name]) ? this.within(name) : undefined;
  }

  /** An inner object, empty when it is absent. */
  within(name: string): Fields {
    return new Fields(this.values[name], this.path(name), this.#reading);
  }

  /** The items of a list; an item that is not an object is empty. */
  items(name: string): Fields[] {
    const list = this.values[name];
    if (!Array.isArray(list)) return [];
    return list.map((item, index) => new Fields(item, this.path(name, index), this.#reading));
  }

  /** The objects of a list, up to a limit. */
  list(name: string, limit?: number): Fields[] {
    return fieldsOf(this.values[name], this.path(name), this.#reading, limit);
  }

  /** The strings, numbers and booleans of a list as strings, up to a limit. */
  scalars(name: string): string[] {
    return entriesOf(this.values[name], this.path(name), this.#reading)
      .filter((item) => ['string', 'number', 'boolean'].includes(typeof item))
      .map(String);
  }
}

/** The objects of a list, up to a limit. */
export function fieldsOf(list: unknown, at: Path, reading: Reading, limit?: number): Fields[] {
  return entriesOf(list, at, reading, limit).flatMap((item, index) =>
    isRecord(item) ? [new Fields(item, [...at, index], reading)] : [],
  );
}

function entriesOf(
  list: unknown,
  at: Path,
  { report, tooMany }: Reading,
  limit = longestList,
): readonly unknown[] {
  if (!Array.isArray(list)) return [];
  if (tooMany && list.length > limit) report(tooMany(list.length, limit), at);
  return list.slice(0, limit);
}

/** The word of a list that a field has, ignoring capitals and the blanks around it. Another word is reported. */
export function readWord<Word extends string>(
  fields: Fields,
  name: string,
  words: readonly Word[],
  unknown: (written: string, words: readonly string[]) => Problem,
): Word | undefined {
  const written = fields.optional(name);
  const plain = written?.trim().toLowerCase();
  const word = words.find((one) => one.toLowerCase() === plain);
  if (written !== undefined && word === undefined) fields.report(unknown(written, words), name);
  return word;
}
