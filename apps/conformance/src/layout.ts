/**
 * A way in which a folder of cases may be laid out. A new one is a file in layouts/ and a line in its index. A layout
 * knows how cases are written, and nothing of any single one: no ids, no names, no expected results.
 */
export interface Layout {
  readonly name: string;
  /** Whether a folder is laid out like this. */
  readonly recognises: (folder: string) => boolean;
  /** The same cases in the same order every time: workers agree on a case by its place. */
  readonly cases: (folder: string) => readonly Case[];
}

export interface Case {
  /** What the case is about: the results are counted by area. */
  readonly area: string;
  readonly id: string;
  /** What else the results are counted by: `{ "query language": "JSONata" }`. */
  readonly groups?: Readonly<Record<string, string>>;
  /** Resolves with how the result differs from what is expected, or with nothing when it does not. */
  readonly run: () => Promise<Difference | undefined> | Difference | undefined;
}

export interface Difference {
  readonly expected: string;
  readonly actual: string;
  /** The case passes all the same; the report only mentions it. */
  readonly isRemark?: true;
}

/** How two values differ in the first of the given aspects in which they do. */
export function firstDifference(
  expected: Readonly<Record<string, unknown>>,
  actual: Readonly<Record<string, unknown>>,
  where = '',
): Difference | undefined {
  for (const [aspect, value] of Object.entries(expected)) {
    const [wanted, found] = [inWords(value), inWords(actual[aspect])];
    if (wanted !== found)
      return { expected: `${where}${aspect}: ${wanted}`, actual: `${where}${aspect}: ${found}` };
  }
  return undefined;
}

/** A text as it is, anything else as JSON; objects are equal whatever the order of their keys. */
export function inWords(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(sorted(value)) ?? 'nothing');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
