import type { Branches, Moment } from './branches.ts';
import type { Player } from './player.ts';
import type { Way } from './search.ts';

interface ReplayOptions {
  readonly branches: Branches;
  readonly player: Player;
  readonly startAt: number;
  readonly takeUnits: () => ReadonlySet<string>;
}

/** A moment on a way, and what was reached until then. */
interface Stop {
  readonly moment: Moment;
  readonly units: ReadonlySet<string>;
}

const stopsMax = 2_000;

/** Plays ways again. Ways that begin alike share their beginnings, which are played once. */
export class Replay {
  readonly #options: ReplayOptions;
  readonly #stops = new Map<string, Stop>();

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /**
   * @returns what the way reaches; nothing when a move is refused
   * @throws InputError when it cannot begin
   */
  readonly play = async ({
    beginning,
    moves,
  }: Pick<Way, 'beginning' | 'moves'>): Promise<ReadonlySet<string>> => {
    const { player } = this.#options;
    let key = JSON.stringify(beginning);
    let stop = await this.#stopAt(key, undefined, () => this.#begin(beginning));
    for (const move of moves) {
      if (stop.moment.refused !== undefined) return new Set();
      key += JSON.stringify(move);
      const { moment } = stop;
      stop = await this.#stopAt(key, stop, () => player.play(moment, move));
    }
    return stop.moment.refused === undefined ? stop.units : new Set();
  };

  async #begin(beginning: Way['beginning']): Promise<Moment> {
    const { branches, player, startAt } = this.#options;
    return player.play(await branches.begin(beginning, startAt), { happening: {} });
  }

  async #stopAt(key: string, before: Stop | undefined, go: () => Promise<Moment>): Promise<Stop> {
    const known = this.#stops.get(key);
    if (known) return known;
    const { takeUnits } = this.#options;
    takeUnits();
    const moment = await go();
    const stop = { moment, units: new Set([...(before?.units ?? []), ...takeUnits()]) };
    if (this.#stops.size >= stopsMax) this.#stops.clear();
    this.#stops.set(key, stop);
    return stop;
  }
}
