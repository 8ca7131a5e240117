import { type Chart, isRecord } from '@dramaturg/compiler';
import { unitKey, unitsOf } from '@dramaturg/compiler/chart';
import type { CountedUnit } from './coverage.ts';

/** The coverage of a chart in a report, or a sentence for people that says why there is none. */
export type FoundCoverage =
  | { readonly definition: string; readonly units: readonly CountedUnit[] }
  | { readonly problem: string };

const howToWrite = 'Write one with: dramaturg test --coverage --json > coverage.json';

/**
 * Finds the coverage of a chart in a report, the output of `dramaturg test --coverage --json`. It is recognised by its states and
 * transitions, because the names of files differ between machines.
 *
 * @param name of the report's file, for sentences
 */
export function coverageIn(text: string, chart: Chart, name = 'The report'): FoundCoverage {
  if (/^(?:TN|SF):/.test(text))
    return { problem: `${name} is an lcov file, which has lines and no states. ${howToWrite}` };
  const entries = entriesIn(text);
  if (!entries) return { problem: `${name} is not a coverage report. ${howToWrite}` };
  const own = new Set([...unitsOf(chart).values()].filter(isPlace).map(unitKey));
  const places = entries.map((entry) => {
    const keys = new Set(entry.units.filter(isPlace).map(unitKey));
    const shared = [...keys].filter((key) => own.has(key)).length;
    return { ...entry, shared, differences: keys.size + own.size - 2 * shared };
  });
  const same = places.find(({ differences }) => differences === 0);
  if (same) return { definition: same.definition, units: same.units };
  // More than half of the chart's parts are in the report: it is about an earlier version. Other definitions of a format share
  // only a few places, such as the first state.
  const earlier = places.find(({ shared }) => shared > own.size / 2);
  if (earlier)
    return {
      problem: `${name} is about another version of this definition: ${earlier.differences} states or transitions differ. Run the tests again.`,
    };
  const others = entries.map(({ definition }) => definition).join(', ') || 'nothing';
  return { problem: `${name} has the coverage of ${others}, not of this definition.` };
}

function isPlace({ kind }: Pick<CountedUnit, 'kind'>): boolean {
  return kind === 'state' || kind === 'transition';
}

interface Entry {
  readonly definition: string;
  readonly units: readonly (CountedUnit & {
    readonly kind: Parameters<typeof unitKey>[0]['kind'];
  })[];
}

/** The definitions in a report. @returns undefined for another text */
function entriesIn(text: string): readonly Entry[] | undefined {
  const { coverage } = Object(parsed(text)) as { readonly coverage?: unknown };
  return Array.isArray(coverage) && coverage.every(isEntry) ? coverage : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const kinds: readonly unknown[] = ['state', 'transition', 'condition', 'operand'];

function isEntry(value: unknown): value is Entry {
  return (
    isRecord(value) &&
    typeof value['definition'] === 'string' &&
    Array.isArray(value['units']) &&
    value['units'].every(
      (unit) =>
        isRecord(unit) &&
        kinds.includes(unit['kind']) &&
        typeof unit['hits'] === 'number' &&
        (unit['label'] === undefined || typeof unit['label'] === 'string') &&
        Array.isArray(unit['path']) &&
        unit['path'].every((key) => typeof key === 'string' || typeof key === 'number'),
    )
  );
}
