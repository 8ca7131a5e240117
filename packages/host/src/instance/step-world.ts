import { type Apart, nextTurn, withinWork, type World } from '@dramaturg/compiler/machine';
import type { Step } from './left-work.ts';
import { WorkLeftError } from './work-left-error.ts';

export type { Step };

/** The units of work that all expressions of a step may take before it waits: those of ten states. Threads do most of it. */
const unitsMax = 30_000_000;
/** The units of work that are done in this thread: about 20 ms. */
const unitsHere = 100_000;

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

  readonly apart = (): Apart | undefined => this.#step?.left?.next();

  readonly nextTurn = (): Promise<void> => this.#source.nextTurn?.() ?? nextTurn();

  /** Begins a step now. */
  step(): Step {
    return { at: this.#source.now(), drawn: [] };
  }

  /** Runs work within a step. @throws WorkLeftError when it has left work to a thread */
  during<Value>(step: Step, work: () => Value): Value {
    const before = this.#step;
    this.#step = step;
    try {
      return withinWork(unitsMax, work, step.left && unitsHere);
    } finally {
      this.#step = before;
      // oxlint-disable-next-line no-unsafe-finally -- Neither a result nor an error of such a step counts.
      if (step.left?.isPending) throw new WorkLeftError(step);
    }
  }

  /** @param make draws a new value */
  protected drawIn<Drawn extends number | string>(step: Step, make: () => Drawn): Drawn {
    const drawn = (step.again?.shift() as Drawn | undefined) ?? make();
    step.drawn.push(drawn);
    return drawn;
  }

  #draw<Drawn extends number | string>(make: () => Drawn): Drawn {
    return this.#step ? this.drawIn(this.#step, make) : make();
  }
}

const known = new WeakMap<World, StepWorld>();

/**
 * The step world of a source. Hosts with one clock share it and the machines that are linked for it, because a step is over when
 * its call returns.
 */
export function stepWorldOf(source: World): StepWorld {
  const world = known.get(source) ?? new StepWorld(source);
  known.set(source, world);
  return world;
}
