import type { Branches } from './branches.ts';
import { choicesOf, inputsOf } from './inputs-of.ts';
import type { Moment } from './moment.ts';
import type { Player } from './player.ts';
import { type Retried, retriesIn } from './retries.ts';
import { hasFailed } from './why-stopped.ts';
import { failedMark, type Way } from './way.ts';
import type { Vocabulary } from './vocabulary.ts';

interface ReplayOptions {
  readonly branches: Branches;
  readonly player: Player;
  readonly startAt: number;
  readonly vocabulary: Vocabulary;
  readonly takeUnits: () => ReadonlySet<string>;
}

/** A moment on a way, and what was reached until then. */
interface Stop {
  readonly moment: Moment;
  readonly units: ReadonlySet<string>;
  readonly retried?: Retried | undefined;
}

/** What a move has shown besides the units of the definition. */
interface Shown {
  readonly inputs: readonly string[];
  readonly retried?: Retried | undefined;
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
