import type { World } from '@dramaturg/compiler';

/** A step is one instant: whatever asks for the time within it hears the same. */
export interface Step {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** What was drawn by chance within it, in order. */
  readonly drawn: (number | string)[];
}

/**
 * The world of all machines of a host. What it gives within a step is written down with the step, so that the step can be
 * taken again and comes to the same.
 */
export class StepWorld implements World {
  readonly #source: World;
  #step: Step | undefined;
  #held: Promise<unknown> | undefined;

  constructor(source: World) {
    this.#source = source;
  }

  readonly now = (): number => this.#step?.at ?? this.#source.now();

  readonly random = (): number => this.#draw(() => this.#source.random());

  readonly uuid = (): string => this.#draw(() => this.#source.uuid());

  /** A step that begins now. */
  step(): Step {
    return { at: this.#source.now(), drawn: [] };
  }

  /** Does something within a step. */
  during<Value>(step: Step, work: () => Value): Value {
    const before = this.#step;
    this.#step = step;
    try {
      return work();
    } finally {
      this.#step = before;
    }
  }

  /** Until a promise is settled, what happens outside of all other steps belongs to this one. */
  async holding(step: Step, settling: Promise<void>): Promise<void> {
    this.#step = step;
    this.#held = settling;
    try {
      await settling;
    } finally {
      this.#step = undefined;
      this.#held = undefined;
    }
  }

  /** Resolves once no step is held. */
  async free(): Promise<void> {
    while (this.#held) await this.#held;
  }

  /** @param make gives another one */
  protected drawIn<Drawn extends number | string>(step: Step, make: () => Drawn): Drawn {
    const drawn = make();
    step.drawn.push(drawn);
    return drawn;
  }

  #draw<Drawn extends number | string>(make: () => Drawn): Drawn {
    return this.#step ? this.drawIn(this.#step, make) : make();
  }
}
