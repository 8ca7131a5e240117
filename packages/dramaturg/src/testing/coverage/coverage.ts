import type { Chart, Json, Source } from '@dramaturg/compiler';
import { type CoverageUnit, unitsOf } from '@dramaturg/compiler/chart';
import { type Charts, InstanceHistory } from '@dramaturg/host/browser';
import { behaviours } from '../../host.ts';
import type { FileResult } from '../run-file.ts';
import { UnitWatch, withGuardOrigins } from './unit-watch.ts';

export interface CoveredUnit extends CoverageUnit {
  /** How often the tests have reached it. */
  readonly hits: number;
}

/** The stored data of a test. */
interface Recorded {
  readonly id: string;
  readonly charts: Charts;
  readonly lines: readonly Json[];
}

/**
 * Counts what the tests of one definition reach. Repeats the stored steps of their instances with every state as a step of its
 * own. So the runs themselves are not slower, and are the same as on a host.
 */
export class Coverage {
  readonly #format: string;
  readonly #units: ReadonlyMap<string, CoverageUnit>;
  readonly #hits = new Map<string, number>();
  readonly #watch: UnitWatch;

  constructor(chart: Chart) {
    this.#format = chart.format;
    this.#units = unitsOf(chart);
    this.#watch = new UnitWatch(chart, (key) => {
      this.#hits.set(key, (this.#hits.get(key) ?? 0) + 1);
    });
  }

  /** Adds the run of a test. */
  async add({ id, charts, lines }: Recorded): Promise<void> {
    const history = new InstanceHistory({
      id,
      charts: this.#marked(charts),
      behaviours: {
        get: (name) => {
          const own = behaviours.get(name);
          return own && name === this.#format ? this.#watch.watched(own) : own;
        },
      },
      inspect: this.#watch.inspect,
    });
    await history.take(lines);
  }

  #marked({ lifecycle, flow }: Charts): Charts {
    const marked = (each: Charts['lifecycle']) =>
      each.chart.format === this.#format ? { ...each, chart: withGuardOrigins(each.chart) } : each;
    return { lifecycle: marked(lifecycle), ...(flow ? { flow: marked(flow) } : {}) };
  }

  /** All units in the order of the definition. */
  get units(): readonly CoveredUnit[] {
    return [...this.#units].map(([key, unit]) => ({ ...unit, hits: this.#hits.get(key) ?? 0 }));
  }
}

/** The coverage of a definition as a record of an lcov file: states are lines, transitions and conditions are branches. */
export function toLcov(file: string, source: Source, units: readonly CoveredUnit[]): string {
  const lineOf = ({ path }: CoveredUnit) => source.locate(path).start.line;
  const lines = new Map<number, number>();
  for (const unit of units) {
    if (unit.kind === 'condition' || unit.kind === 'operand') continue;
    lines.set(lineOf(unit), (lines.get(lineOf(unit)) ?? 0) + unit.hits);
  }
  const branches = units.filter(({ kind }) => kind !== 'state');
  const data = [...lines].toSorted(([a], [b]) => a - b);
  return [
    'TN:',
    `SF:${file}`,
    ...branches.map((unit, index) => `BRDA:${lineOf(unit)},0,${index},${unit.hits}`),
    `BRF:${branches.length}`,
    `BRH:${branches.filter(({ hits }) => hits > 0).length}`,
    ...data.map(([line, hits]) => `DA:${line},${hits}`),
    `LF:${data.length}`,
    `LH:${data.filter(([, hits]) => hits > 0).length}`,
    'end_of_record\n',
  ].join('\n');
}

/** The coverage of a definition by all its tests together. */
export interface DefinitionCoverage {
  readonly file: string;
  readonly source: Source;
  readonly units: readonly CoveredUnit[];
}

/** The coverage of each tested definition, and of its own lifecycle. Several test files of one definition count together. */
export async function coveragesOf(
  files: readonly FileResult[],
): Promise<readonly DefinitionCoverage[]> {
  const found = new Map<string, { readonly source: Source; readonly coverage: Coverage }>();
  for (const { subject, results } of files) {
    for (const { file, definition } of subject?.compiled ?? []) {
      const known = found.get(file) ?? {
        source: definition.source,
        coverage: new Coverage(definition.chart!),
      };
      found.set(file, known);
      for (const { record } of results) if (record) await known.coverage.add(record);
    }
  }
  return [...found].map(([file, { source, coverage }]) => ({
    file,
    source,
    units: coverage.units,
  }));
}
