import { type CoverageUnit, unitsOf } from '@dramaturg/compiler';
import { hosted, type HostedDefinition } from '../host.ts';
import { UnitWatch } from '../testing/coverage/unit-watch.ts';
import { usualStart } from '../testing/stage-options.ts';
import { beginningsOf } from './beginnings.ts';
import { rehearsalOf, type RehearsalOptions } from './rehearsal.ts';
import { Replay } from './replay.ts';
import { Search, type SearchBounds, type SearchResult } from './search.ts';

export interface Explored extends SearchResult {
  readonly units: ReadonlyMap<string, CoverageUnit>;
  /** Plays ways of the result again. */
  readonly replay: Replay['play'];
}

/** Searches a definition for ways to each of its states, transitions and conditions. */
export async function exploreDefinition(
  definition: HostedDefinition,
  {
    bounds,
    others = {},
    onProgress,
    startAt = usualStart,
  }: Pick<RehearsalOptions, 'others'> & {
    readonly bounds: SearchBounds;
    readonly onProgress?: (steps: number, reached: number, total: number) => void;
    readonly startAt?: number;
  },
): Promise<Explored> {
  const { chart } = hosted('explored', definition);
  let units = new Set<string>();
  const takeUnits = () => {
    const taken = units;
    units = new Set();
    return taken;
  };
  const watch = new UnitWatch(chart, (unit) => units.add(unit));
  const rehearsal = rehearsalOf(definition, { others, watch });
  const { branches, player, vocabulary } = rehearsal;
  const goals = unitsOf(chart);
  const search = new Search({
    branches,
    player,
    vocabulary,
    startAt,
    bounds,
    takeUnits,
    goals: new Set(goals.keys()),
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
  };
}
