import type { Chart, Json } from '@dramaturg/compiler';
import { type CoverageUnit, unitsOf } from '@dramaturg/compiler/chart';
import { type Charts, InstanceHistory } from '@dramaturg/host/browser';
import { behaviours } from '../../host.ts';
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
