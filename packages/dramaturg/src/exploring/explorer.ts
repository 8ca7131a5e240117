import type { Chart } from '@dramaturg/compiler';
import { type CoverageUnit, unitsOf } from '@dramaturg/compiler/chart';
import { hosted, type HostedDefinition } from '../host.ts';
import { UnitWatch } from '../testing/coverage/unit-watch.ts';
import { usualStart } from '../testing/stage-options.ts';
import { beginningsOf } from './beginnings.ts';
import type { Branches } from './branches.ts';
import { choicesOf, inputsOf } from './inputs-of.ts';
import type { Moment } from './moment.ts';
import { failedMark, type Player, type Way } from './player.ts';
import { type Rehearsal, rehearsalOf, type RehearsalOptions } from './rehearsal.ts';
import { type Retried, retriesIn } from './retries.ts';
import { hasFailed, Search, type SearchBounds, type SearchResult } from './search.ts';
import type { Vocabulary } from './vocabulary.ts';

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

/** The key of a unit of a lifecycle, distinct from the keys of the definition. */
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
 * Searches for ways to the rows of the lifecycle that was given for a definition.
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

interface ReplayOptions {
  readonly branches: Branches;
  readonly player: Player;
  readonly startAt: number;
  readonly vocabulary: Vocabulary;
  readonly takeUnits: () => ReadonlySet<string>;
}

/** A moment on a way, and the units that were reached until then. */
interface Stop {
  readonly moment: Moment;
  readonly units: ReadonlySet<string>;
  readonly retried?: Retried | undefined;
}

/** The inputs and the retry that a move has shown. */
interface Shown {
  readonly inputs: readonly string[];
  readonly retried?: Retried | undefined;
}

const stopsMax = 2_000;

/** Plays ways again. Beginnings that several ways share are played once. */
class Replay {
  readonly #options: ReplayOptions;
  readonly #stops = new Map<string, Stop>();

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /**
   * @returns what the way reaches; nothing when a move before the last one is refused
   * @throws InputError when it cannot begin
   */
  readonly play = async ({
    beginning,
    moves,
  }: Pick<Way, 'beginning' | 'moves'>): Promise<ReadonlySet<string>> => {
    const { player, vocabulary } = this.#options;
    let key = JSON.stringify(beginning);
    const chosen = new Set(choicesOf(beginning));
    let stop = await this.#stopAt(key, chosen, () => this.#begin(beginning));
    for (const move of moves) {
      if (stop.moment.refused !== undefined) return new Set();
      key += JSON.stringify(move);
      const before = stop;
      const { moment } = before;
      const shown = (after: Moment) => {
        const { units, retried } = retriesIn(after, move, before.retried);
        const inputs = [...inputsOf(moment, move, after, vocabulary), ...units];
        return { inputs, retried };
      };
      stop = await this.#stopAt(key, before.units, () => player.play(moment, move), shown);
    }
    return stop.units;
  };

  async #begin(beginning: Way['beginning']): Promise<Moment> {
    const { branches, player, startAt } = this.#options;
    return player.play(await branches.begin(beginning, startAt), { happening: {} });
  }

  async #stopAt(
    key: string,
    before: ReadonlySet<string>,
    go: () => Promise<Moment>,
    shown: (after: Moment) => Shown = () => ({ inputs: [] }),
  ): Promise<Stop> {
    const known = this.#stops.get(key);
    if (known) return known;
    const { takeUnits } = this.#options;
    takeUnits();
    const moment = await go();
    const { inputs, retried } = shown(moment);
    const stop = { moment, units: new Set([...before, ...takeUnits(), ...inputs]), retried };
    if (hasFailed(moment)) stop.units.add(failedMark);
    if (this.#stops.size >= stopsMax) this.#stops.clear();
    this.#stops.set(key, stop);
    return stop;
  }
}
