import { StepWorld } from '@dramaturg/host/engine';

/** The time and the random values of tried steps: both depend on the moment only, so that a step has the same result each time. */
export class BranchWorld extends StepWorld {
  #at = 0;
  #drawn = 0;

  constructor() {
    super({
      now: () => this.#at,
      random: () => {
        this.#drawn += 1;
        return 0.5;
      },
      uuid: () => {
        this.#drawn += 1;
        return `00000000-0000-4000-8000-${String(this.#drawn).padStart(12, '0')}`;
      },
    });
  }

  get drawn(): number {
    return this.#drawn;
  }

  recall(at: number, drawn: number): void {
    this.#at = at;
    this.#drawn = drawn;
  }
}
