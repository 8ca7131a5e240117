import { type Behaviour, type Chart, chartsOf, type Json, type Path } from '@dramaturg/compiler';
import { type Charts, InstanceHistory } from '@dramaturg/host';
import { behaviours } from '../../host.ts';
import { type CoverageUnit, originOf, unitKey, unitsOf } from './units.ts';

export interface CoveredUnit extends CoverageUnit {
  /** How often the tests have reached it. */
  readonly hits: number;
}

/** What a test has stored. */
interface Recorded {
  readonly id: string;
  readonly charts: Charts;
  readonly lines: readonly Json[];
}

type Inspect = NonNullable<ConstructorParameters<typeof InstanceHistory>[0]['inspect']>;

/** A node or a transition of XState with the meta of the chart. */
interface WithMeta {
  readonly meta?: { readonly origin?: Path };
}

/**
 * Counts what the tests of one definition reach, by repeating the stored steps of their instances with every state as a step of its own.
 * The runs themselves are not slower, and are those that a host would make.
 */
export class Coverage {
  readonly #format: string;
  /** The machines of the definition: its own, and those of its items. */
  readonly #machines: ReadonlySet<string>;
  readonly #units: ReadonlyMap<string, CoverageUnit>;
  readonly #hits = new Map<string, number>();
  /** The guarded transitions by guard: a guard that does not hold passes them over. */
  readonly #guarded = new Map<string, Path[]>();

  constructor(chart: Chart) {
    this.#format = chart.format;
    this.#machines = new Set(chartsOf(chart).map((each) => each.id));
    this.#units = unitsOf(chart);
    this.#noteGuards(chart);
  }

  /** Adds the run of a test. */
  async add({ id, charts, lines }: Recorded): Promise<void> {
    const history = new InstanceHistory({
      id,
      charts,
      behaviours: new Map(
        [...behaviours].map(([name, own]) => [
          name,
          name === this.#format ? this.#watched(own) : own,
        ]),
      ),
      inspect: (happening) => this.#see(happening),
    });
    await history.take(lines);
  }

  /** All units in the order of the definition. */
  get units(): readonly CoveredUnit[] {
    return [...this.#units].map(([key, unit]) => ({ ...unit, hits: this.#hits.get(key) ?? 0 }));
  }

  #see(happening: Parameters<Inspect>[0]): void {
    if (happening.type !== '@xstate.microstep' && happening.type !== '@xstate.snapshot') return;
    // Only microsteps have transitions; the first states of an actor are only in its snapshot.
    const { snapshot, _transitions = [] } = happening as unknown as {
      readonly snapshot: {
        readonly machine?: { readonly id: string };
        readonly _nodes?: readonly WithMeta[];
      };
      readonly _transitions?: readonly WithMeta[];
    };
    // The lifecycle of an instance has places of its own.
    if (!this.#machines.has(snapshot.machine?.id ?? '')) return;
    // oxlint-disable-next-line no-underscore-dangle -- XState has no public name for the active nodes.
    for (const node of snapshot._nodes ?? []) this.#hit('state', node);
    for (const transition of _transitions) this.#hit('transition', transition);
  }

  #hit(kind: CoverageUnit['kind'], { meta }: WithMeta): void {
    const path = originOf({ meta: meta as never });
    if (path) this.#count(unitKey(kind, path));
  }

  #count(key: string): void {
    this.#hits.set(key, (this.#hits.get(key) ?? 0) + 1);
  }

  #watched(behaviour: Behaviour): Behaviour {
    const guards = Object.entries(behaviour.guards).map(([type, guard]) => [
      type,
      ((scope, params) => {
        const holds = guard(scope, params);
        if (!holds)
          for (const path of this.#guarded.get(guardKey(type, params)) ?? [])
            this.#count(unitKey('condition', path));
        return holds;
      }) satisfies Behaviour['guards'][string],
    ]);
    return { ...behaviour, guards: Object.fromEntries(guards) };
  }

  #noteGuards(chart: Chart): void {
    const pending: unknown[] = [chart];
    for (const part of pending) {
      if (typeof part !== 'object' || part === null) continue;
      const { guard, meta } = part as { readonly guard?: unknown } & WithMeta;
      const path = originOf({ meta: meta as never });
      if (path && typeof guard === 'object' && guard !== null && 'type' in guard) {
        const { type, params } = guard as { readonly type: string; readonly params?: unknown };
        const key = guardKey(type, params);
        this.#guarded.set(key, [...(this.#guarded.get(key) ?? []), path]);
      }
      pending.push(...Object.values(part));
    }
  }
}

function guardKey(type: string, params: unknown): string {
  return `${type} ${JSON.stringify(params ?? {})}`;
}
