import { StatesError } from '../states-error.ts';
import { unitsMax, type Work } from '../work.ts';

/** The places that the paths of a state may lead to together. */
const placesMax = 200_000;
const unitsPerPlace = unitsMax / placesMax;
/** Comparisons, and compared characters of strings, that cost as much as a place. */
const [comparisonsPerPlace, charactersPerPlace] = [3, 256];

/** The work of following one path, which is a part of the work of its state. */
export class PathWork {
  readonly #work: Work;
  readonly #path: string;

  /** @param path for the message */
  constructor(path: string, work: Work) {
    this.#path = path;
    this.#work = work;
  }

  /** Counts places. @throws StatesError States.Runtime when there are too many */
  visit(places: number): void {
    if (this.#work.take(places * unitsPerPlace)) return;
    throw new StatesError(
      'States.Runtime',
      `The paths of the state lead to more than ${placesMax.toLocaleString('en')} places, at '${this.#path}': ` +
        'process long lists in a Map state.',
    );
  }

  /** Counts a comparison. @throws StatesError States.Runtime */
  compare(characters = 0): void {
    this.visit(1 / comparisonsPerPlace + characters / charactersPerPlace);
  }
}
