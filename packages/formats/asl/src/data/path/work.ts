import { StatesError } from '../states-error.ts';

/** The places that a search may lead to. Each takes less than 50 nanoseconds. */
const mostPlaces = 1_000_000;
/** Comparisons that cost as much as a place, and characters of two texts that are compared. */
const [comparisonsPerPlace, charactersPerPlace] = [3, 256];

/**
 * The work of following one path. Work is counted and not timed: a path that can be followed once can be followed on every
 * repetition.
 */
export class PathWork {
  #placesLeft = mostPlaces;
  readonly #path: string;

  /** @param path for the message */
  constructor(path: string) {
    this.#path = path;
  }

  /** Counts places. @throws StatesError States.Runtime when there are too many */
  visit(places: number): void {
    this.#placesLeft -= places;
    if (this.#placesLeft >= 0) return;
    throw new StatesError(
      'States.Runtime',
      `The path '${this.#path}' leads to more than ${mostPlaces.toLocaleString('en')} places: ` +
        'process long lists in a Map state.',
    );
  }

  /** Counts a comparison. @throws StatesError States.Runtime */
  compare(characters = 0): void {
    this.visit(1 / comparisonsPerPlace + characters / charactersPerPlace);
  }
}
