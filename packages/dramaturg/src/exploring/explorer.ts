import type { Chart } from '@dramaturg/compiler';
import { durable, type LoadedDefinitions } from '@dramaturg/host/engine';
import { behaviours, hosted, type HostedDefinition } from '../host.ts';
import { type CoverageUnit, unitsOf } from '../testing/coverage/units.ts';
import { UnitWatch, withGuardOrigins } from '../testing/coverage/unit-watch.ts';
import { usualStart } from '../testing/stage-options.ts';
import { beginningsOf } from './beginnings.ts';
import { Branches, BranchWorld } from './branches.ts';
import { eventsOf } from './happenings.ts';
import { Player } from './player.ts';
import { Replay } from './replay.ts';
import { Search, type SearchBounds, type SearchResult } from './search.ts';
import { vocabularyOf } from './vocabulary.ts';

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
    onProgress,
    startAt = usualStart,
  }: {
    readonly bounds: SearchBounds;
    readonly onProgress?: (steps: number, reached: number, total: number) => void;
    readonly startAt?: number;
  },
): Promise<Explored> {
  const { chart, lifecycle } = hosted('explored', definition);
  let units = new Set<string>();
  const takeUnits = () => {
    const taken = units;
    units = new Set();
    return taken;
  };
  const watch = new UnitWatch(chart, (unit) => units.add(unit));
  const world = new BranchWorld();
  const load = (each: Chart, isWatched: boolean) => {
    const behaviour = behaviours.get(each.format)!;
    return {
      ref: { name: each.id, version: 'explored' },
      chart: each,
      machine: isWatched
        ? durable(withGuardOrigins(each), watch.watched(behaviour), {
            world,
            inspect: watch.inspect,
          })
        : durable(each, behaviour, { world }),
    };
  };
  const isLifecycle = lifecycle === 'own';
  const definitions: LoadedDefinitions = isLifecycle
    ? { lifecycle: load(chart, true) }
    : { flow: load(chart, true), lifecycle: load(lifecycle, false) };
  const branches = new Branches(definitions, world);
  const vocabulary = vocabularyOf(chart);
  const player = new Player(branches, vocabulary);
  const goals = unitsOf(chart);
  const converses = definitions.flow?.machine.converses === true;
  const contact = chart.format === 'asl' ? {} : { contact: 'person' };
  const search = new Search({
    branches,
    player,
    vocabulary,
    startAt,
    bounds,
    takeUnits,
    goals: new Set(goals.keys()),
    outside: {
      converses,
      ownsLifecycle: isLifecycle,
      events: isLifecycle ? eventsOf(chart) : [],
    },
    beginnings: beginningsOf(chart, vocabulary).map((each) => ({ ...each, ...contact })),
    ...(onProgress
      ? { onProgress: (steps: number, reached: number) => onProgress(steps, reached, goals.size) }
      : {}),
  });
  const result = await search.run();
  return {
    ...result,
    units: goals,
    replay: new Replay({ branches, player, startAt, takeUnits }).play,
  };
}
