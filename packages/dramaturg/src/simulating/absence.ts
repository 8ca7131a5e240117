import type { Chance } from './chance.ts';
import { forever, type Persona } from './persona.ts';

/**
 * When a person is away. States: present → away → back, until it has acted → present; or gone forever.
 */
export class Absence {
  readonly #absent: Persona['absent'];
  readonly #chance: Chance;
  #isBack = false;
  isGone = false;

  constructor({ absent }: Persona, chance: Chance) {
    this.#absent = absent;
    this.#chance = chance;
  }

  /** How long the person is away before it acts; undefined when it acts now. Nobody who is gone is asked. */
  next(): string | undefined {
    const { chance, for: times } = this.#absent;
    const isAway = chance > 0 && !this.#isBack && this.#chance.happens(chance);
    this.#isBack = isAway;
    if (!isAway) return undefined;
    const time = this.#chance.of(times);
    this.isGone = time === forever;
    return time;
  }
}
