import type { Chart } from '@dramaturg/compiler';
import { type CoverageUnit, unitsOf } from '@dramaturg/compiler/chart';
import { hosted, type HostedDefinition } from '../host.ts';
import { UnitWatch } from '../testing/coverage/unit-watch.ts';
import { usualStart } from '../testing/stage-options.ts';
import { beginningsOf } from './beginnings.ts';
import { type Rehearsal, rehearsalOf, type RehearsalOptions } from './rehearsal.ts';
import { Replay } from './replay.ts';
import { Search, type SearchBounds, type SearchResult } from './search.ts';

export interface Explored extends SearchResult {
  readonly units: ReadonlyMap<string, CoverageUnit>;
  /** Plays ways of the result again. */
  readonly replay: Replay['play'];
  readonly rehearsal: Rehearsal;
}

export interface ExplorerOptions extends Pick<RehearsalOptions, 'others'> {
  readonly bounds: SearchBounds;
  readonly onProgress?: (steps: number, reached: number, total: number) => void;
  readonly startAt?: number;
}

/** The key of a unit of a lifecycle, beside those of the definition. */
function lifecycleKey(unit: string): string {
  return `lifecycle ${unit}`;
}

/** Searches a definition for ways to each of its states, transitions and conditions. */
export function exploreDefinition(
  definition: HostedDefinition,
  options: ExplorerOptions,
): Promise<Explored> {
  const { chart, lifecycle } = hosted('explored', definition);
  return searched(definition, chart, options, (onUnit) => ({
    watch: new UnitWatch(chart, onUnit),
    ...('lifecycle' in definition ? { lifecycleWatch: rowWatch(lifecycle as Chart, onUnit) } : {}),
  }));
}

/**
 * Searches for ways to the rows of the lifecycle that was named for a definition.
 *
 * @param known ways that the search of the definition has found
 */
export async function exploreLifecycle(
  definition: HostedDefinition & { readonly lifecycle: unknown },
  known: Explored['ways'],
  options: ExplorerOptions,
): Promise<Explored> {
  const chart = hosted('explored', definition).lifecycle as Chart;
  const found = await searched(definition, chart, options, (onUnit) => ({
    triesLifecycle: true,
    lifecycleWatch: rowWatch(chart, onUnit),
  }));
  const units = new Map([...found.units].map(([key, unit]) => [lifecycleKey(key), unit] as const));
  const ways = new Map(
    [...found.ways].map(([unit, way]) => [unit, { ...way, isOfLifecycle: true }] as const),
  );
  const others = [...known].filter(([unit]) => units.has(unit));
  return { ...found, units, ways: new Map([...others, ...ways]) };
}

function rowWatch(lifecycle: Chart, onUnit: (unit: string) => void): UnitWatch {
  return new UnitWatch(lifecycle, (unit) => onUnit(lifecycleKey(unit)));
}

async function searched(
  definition: HostedDefinition,
  chart: Chart,
  { bounds, others = {}, onProgress, startAt = usualStart }: ExplorerOptions,
  watching: (onUnit: (unit: string) => void) => RehearsalOptions,
): Promise<Explored> {
  let units = new Set<string>();
  const takeUnits = () => {
    const taken = units;
    units = new Set();
    return taken;
  };
  const watches = watching((unit) => units.add(unit));
  const rehearsal = rehearsalOf(definition, { others, ...watches });
  const { branches, player, vocabulary } = rehearsal;
  const goals = unitsOf(chart);
  const keyOf = watches.triesLifecycle === true ? lifecycleKey : (key: string) => key;
  const search = new Search({
    branches,
    player,
    vocabulary,
    startAt,
    bounds,
    takeUnits,
    goals: new Set([...goals.keys()].map(keyOf)),
    outside: rehearsal.outside,
    beginnings: beginningsOf(rehearsal),
    ...(onProgress
      ? { onProgress: (steps: number, reached: number) => onProgress(steps, reached, goals.size) }
      : {}),
  });
  const result = await search.run();
  return {
    ...result,
    units: goals,
    replay: new Replay({ branches, player, vocabulary, startAt, takeUnits }).play,
    rehearsal,
  };
}
