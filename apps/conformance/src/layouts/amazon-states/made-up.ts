import type { Json } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';

/**
 * A world that remembers the ids and times it generates. A case cannot predict them: a recording contains those of AWS.
 */
export class MadeUp {
  readonly world: World;
  readonly #texts = new Set<string>();
  readonly #moments = new Set<number>();

  constructor(world: World) {
    this.world = {
      now: () => {
        const moment = world.now();
        this.#moments.add(moment);
        return moment;
      },
      random: world.random,
      uuid: () => this.text(world.uuid()),
    };
  }

  /** Remembers a text that the run receives from outside. */
  text(text: string): string {
    this.#texts.add(text);
    return text;
  }

  /** Whether a value was generated, or is a text that contains a generated text. */
  has(value: Json): boolean {
    if (typeof value === 'number') return this.#moments.has(value);
    if (typeof value !== 'string') return false;
    if (/^\d{4}-\d{2}-\d{2}T/.test(value) && this.#moments.has(Date.parse(value))) return true;
    return [...this.#texts].some((text) => value.includes(text));
  }
}
