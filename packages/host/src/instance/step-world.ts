import { nextTurn, withinWork, type World } from '@dramaturg/compiler/machine';

/** A step is one instant: the time does not change within it. */
export interface Step {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Random values that were drawn in the step, in order. */
  readonly drawn: (number | string)[];
  /** The time zone of the instance. */
  timeZone?: string;
}

/** So many units of work the expressions of all states take together before a step waits for anything: those of two states. */
const unitsMax = 8_000_000;

/**
 * Owns the time and randomness of all machines of a host. Values drawn in a step are recorded with it, so that repeating
 * the step gives the same result.
 */
export class StepWorld implements World {
  readonly #source: World;
  #step: Step | undefined;

  constructor(source: World) {
    this.#source = source;
  }

  readonly now = (): number => this.#step?.at ?? this.#source.now();

  readonly timeZone = (): string => this.#step?.timeZone ?? 'UTC';

  readonly random = (): number => this.#draw(() => this.#source.random());

  readonly uuid = (): string => this.#draw(() => this.#source.uuid());

  readonly nextTurn = (): Promise<void> => this.#source.nextTurn?.() ?? nextTurn();

  /** A step that begins now. */
  step(): Step {
    return { at: this.#source.now(), drawn: [] };
  }

  /** Runs work within a step. */
  during<Value>(step: Step, work: () => Value): Value {
    const before = this.#step;
    this.#step = step;
    try {
      return withinWork(unitsMax, work);
    } finally {
      this.#step = before;
    }
  }

  /** @param make draws a new value */
  protected drawIn<Drawn extends number | string>(step: Step, make: () => Drawn): Drawn {
    const drawn = make();
    step.drawn.push(drawn);
    return drawn;
  }

  #draw<Drawn extends number | string>(make: () => Drawn): Drawn {
    return this.#step ? this.drawIn(this.#step, make) : make();
  }
}

const known = new WeakMap<World, StepWorld>();

/** The step world of a source. Hosts of one clock share it, and so the machines that are linked for it: a step is over when its call returns. */
export function stepWorldOf(source: World): StepWorld {
  const world = known.get(source) ?? new StepWorld(source);
  known.set(source, world);
  return world;
}
