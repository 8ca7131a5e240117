import { realWorld } from '@dramaturg/compiler/machine';
import { type Step, StepWorld } from '../instance/step-world.ts';

/** The time and the random values of the steps in a journal. */
export class RecordedWorld extends StepWorld {
  #at = 0;
  #rest: (number | string)[] = [];
  #isExhausted = false;

  constructor() {
    super(realWorld);
  }

  /** Makes a recorded step the next one. */
  recall({ at, drawn }: Step): void {
    this.#at = at;
    this.#rest = [...drawn];
    this.#isExhausted = false;
  }

  /** Whether the last step has drawn more values than were recorded. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  override step(): Step {
    return { at: this.#at, drawn: [] };
  }

  protected override drawIn<Drawn extends number | string>(step: Step, make: () => Drawn): Drawn {
    this.#isExhausted ||= this.#rest.length === 0;
    const drawn = (this.#rest.shift() as Drawn | undefined) ?? make();
    step.drawn.push(drawn);
    return drawn;
  }
}
