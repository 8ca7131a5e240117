import { statSync } from 'node:fs';
import { UsageError } from '@dramaturg/test-servers';
import type { Case, Difference, Layout } from './layout.ts';
import { layouts } from './layouts/index.ts';

interface Finding {
  readonly area: string;
  readonly id: string;
  readonly expected: string;
  readonly actual: string;
}

export interface Count {
  readonly passed: number;
  readonly total: number;
}

export interface Report extends Count {
  readonly folder: string;
  readonly layout: string;
  readonly areas: Readonly<Record<string, Count>>;
  /** The counts of the other groups of the layout. */
  readonly groups: Readonly<Record<string, Readonly<Record<string, Count>>>>;
  /** The number of cases with each verdict, for layouts with verdicts. */
  readonly verdicts?: Readonly<Record<string, number>>;
  readonly failures: readonly Finding[];
  /** Allowed differences in cases that pass. */
  readonly remarks: readonly Finding[];
}

/** Runs cases one at a time, by their index in the folder. */
export interface Lane {
  readonly perform: (index: number) => Promise<Difference | undefined>;
  readonly close: () => Promise<unknown>;
}

export interface RunOptions {
  /** Runs only the cases of this area. */
  readonly only?: string | undefined;
  /** The lanes that run cases in parallel. By default, one lane in this process. */
  readonly lanes?: { readonly count: number; readonly open: () => Lane };
  readonly progress?: (done: number, all: number) => void;
}

/**
 * Runs the cases of a folder.
 *
 * @throws UsageError when there is no such folder, layout or area
 */
export async function runFolder(folder: string, options: RunOptions = {}): Promise<Report> {
  const { only, progress } = options;
  const layout = layoutOf(folder);
  const all = layout.cases(folder);
  const areas = [...new Set(all.map(({ area }) => area))];
  if (only !== undefined && !areas.includes(only))
    throw new UsageError(`There is no area "${only}". The areas are: ${areas.join(', ')}.`);
  const chosen = all.flatMap(({ area }, index) =>
    only === undefined || area === only ? [index] : [],
  );
  const lanes = options.lanes ?? { count: 1, open: () => inProcessLane(all) };
  const outcomes = await performAll(chosen, lanes, progress);
  const results = chosen.map((index, position) => ({
    ...all[index]!,
    outcome: outcomes[position],
  }));
  return { folder, layout: layout.name, ...counted(results) };
}

/** @throws UsageError when the folder does not exist or has no known layout */
export function layoutOf(folder: string): Layout {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`There is no folder "${folder}".`);
  const layout = layouts.find(({ recognises }) => recognises(folder));
  if (layout) return layout;
  const known = layouts.map(({ name }) => name).join(', ');
  throw new UsageError(`"${folder}" has none of these layouts: ${known}.`);
}

/** Distributes the cases: each lane takes the next case as soon as it is free. */
async function performAll(
  indexes: readonly number[],
  { count, open }: NonNullable<RunOptions['lanes']>,
  progress: RunOptions['progress'],
): Promise<(Difference | undefined)[]> {
  const outcomes: (Difference | undefined)[] = [];
  let nextPosition = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    const lane = open();
    try {
      while (nextPosition < indexes.length) {
        const position = nextPosition;
        nextPosition += 1;
        outcomes[position] = await lane.perform(indexes[position]!);
        done += 1;
        progress?.(done, indexes.length);
      }
    } finally {
      await lane.close();
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, indexes.length) }, work));
  return outcomes;
}

function inProcessLane(cases: readonly Case[]): Lane {
  return { perform: (index) => outcomeOf(cases[index]!), close: async () => {} };
}

/** Runs a case. If it throws, the case fails with the error as the difference. */
export async function outcomeOf({ run }: Case): Promise<Difference | undefined> {
  try {
    return await run();
  } catch (error) {
    return { expected: 'a result', actual: error instanceof Error ? error.message : String(error) };
  }
}

interface Result extends Case {
  readonly outcome: Difference | undefined;
}

function counted(results: readonly Result[]): Omit<Report, 'folder' | 'layout'> {
  const groups = new Set(results.flatMap(({ groups: fields = {} }) => Object.keys(fields)));
  return {
    passed: results.filter(isPassed).length,
    total: results.length,
    areas: countBy(results, ({ area }) => area),
    groups: Object.fromEntries(
      [...groups].map((group) => [group, countBy(results, (result) => result.groups?.[group])]),
    ),
    ...verdictsOf(results),
    failures: results.filter((result) => !isPassed(result)).flatMap(findingOf),
    remarks: results.filter(isPassed).flatMap(findingOf),
  };
}

function countBy(
  results: readonly Result[],
  nameOf: (result: Result) => string | undefined,
): Record<string, Count> {
  const counts = new Map<string, Count>();
  for (const result of results) {
    const name = nameOf(result);
    if (name === undefined) continue;
    const { passed, total } = counts.get(name) ?? { passed: 0, total: 0 };
    counts.set(name, { passed: passed + (isPassed(result) ? 1 : 0), total: total + 1 });
  }
  return Object.fromEntries(counts);
}

function verdictsOf(results: readonly Result[]): Pick<Report, 'verdicts'> {
  const verdicts = new Map<string, number>();
  for (const { outcome } of results) {
    if (outcome?.verdict === undefined) continue;
    verdicts.set(outcome.verdict, (verdicts.get(outcome.verdict) ?? 0) + 1);
  }
  return verdicts.size > 0
    ? { verdicts: Object.fromEntries([...verdicts].toSorted(([a], [b]) => (a < b ? -1 : 1))) }
    : {};
}

function isPassed({ outcome }: Result): boolean {
  return outcome === undefined || outcome.isRemark === true;
}

function findingOf({ area, id, outcome }: Result): Finding[] {
  return outcome ? [{ area, id, expected: outcome.expected, actual: outcome.actual }] : [];
}
