/**
 * The layout of a folder of cases. A new layout is a file in layouts/ and a line in its index. A layout knows the format
 * of cases, but nothing about single cases: no ids, no names, no expected results.
 */
export interface Layout {
  readonly name: string;
  /** Whether a folder has this layout. */
  readonly recognises: (folder: string) => boolean;
  /** Lists the cases, always in the same order: workers identify a case by its index. */
  readonly cases: (folder: string) => readonly Case[];
}

export interface Case {
  /** The subject of the case. Results are counted by area. */
  readonly area: string;
  readonly id: string;
  /** Further groups by which results are counted: `{ "query language": "JSONata" }`. */
  readonly groups?: Readonly<Record<string, string>>;
  /** Resolves with the difference from the expected result, or with undefined when the case passes. */
  readonly run: () => Promise<Difference | undefined> | Difference | undefined;
}

export interface Difference {
  readonly expected: string;
  readonly actual: string;
  /** Set if the case still passes: the report only mentions the difference. */
  readonly isRemark?: true;
  /** The verdict on the case, for layouts with more verdicts than passed and failed. Results are counted by it. */
  readonly verdict?: string;
}

/** Compares two values by these aspects. @returns the first difference */
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

/** Returns a string unchanged and other values as JSON. The order of keys does not matter. */
export function inWords(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(sorted(value)) ?? 'nothing');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
