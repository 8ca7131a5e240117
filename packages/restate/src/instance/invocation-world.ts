import { realWorld, type World } from '@dramaturg/compiler/machine';
import { type Step, StepWorld } from '@dramaturg/host/engine';

type Chance = Pick<World, 'random' | 'uuid'>;

/** A step whose random numbers are the same when Restate calls the handler again. */
interface InvocationStep extends Step {
  readonly chance: Chance;
}

/** The world of all machines of a process. Each step brings its own time and randomness. */
export class EngineWorld extends StepWorld {
  readonly #drawing: { chance: Chance };

  constructor() {
    const drawing = { chance: realWorld as Chance };
    super({
      ...realWorld,
      random: () => drawing.chance.random(),
      uuid: () => drawing.chance.uuid(),
    });
    this.#drawing = drawing;
  }

  override during<Value>(step: Step, work: () => Value): Value {
    const before = this.#drawing.chance;
    this.#drawing.chance = (step as InvocationStep).chance;
    try {
      return super.during(step, work);
    } finally {
      this.#drawing.chance = before;
    }
  }

  /** @param at the time of its steps, in milliseconds since 1970 UTC */
  of(at: number, chance: Chance): StepWorld {
    return new InvocationWorld(this, at, chance);
  }
}

/** The world as the steps of one invocation see it: when Restate calls the handler again, they decide the same. */
class InvocationWorld extends StepWorld {
  readonly #engine: EngineWorld;
  readonly #at: number;
  readonly #chance: Chance;

  constructor(engine: EngineWorld, at: number, chance: Chance) {
    super(realWorld);
    this.#engine = engine;
    this.#at = at;
    this.#chance = chance;
  }

  override step(): InvocationStep {
    return { at: this.#at, drawn: [], chance: this.#chance };
  }

  override during<Value>(step: Step, work: () => Value): Value {
    return this.#engine.during(step, work);
  }
}
