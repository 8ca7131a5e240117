import { realWorld, type World } from '@dramaturg/compiler/machine';
import {
  type Birth,
  type Library,
  type OnError,
  type Step,
  StepWorld,
  type Surroundings,
} from '@dramaturg/host/engine';
import type { CallOrder, CallOutcome, DeliveryOrder, ReceiptOrder } from './instance/messages.ts';
import type { ServiceNames } from './names.ts';
import type { WrittenEvents } from './work/event-feed.ts';
import type { Absence } from './work/presence.ts';

/** The parts that all handlers of one process share. */
export interface Engine {
  readonly names: ServiceNames;
  readonly library: Library;
  /** The surroundings without a world and a transcript, which each invocation has for itself. */
  readonly surroundings: Omit<Surroundings, 'world' | 'readTranscript'>;
  readonly world: EngineWorld;
  readonly work: Work;
  /** @throws HostError `host/bad-request` when this process does not have the channel, or the channel refuses the contact */
  readonly requireContact: (birth: Pick<Birth, 'contact' | 'channel'>) => void;
  /** Receives the events of a step, which Restate stores when the handler has ended. */
  readonly publish: (written: WrittenEvents) => void;
  /** The last time without any process: timers that pause during it must not fire because of it. */
  readonly absence: () => Absence | undefined;
  readonly onError: OnError;
}

/** The work of a process for instances: it calls ports and delivers messages. */
export interface Work {
  /**
   * Fulfils when the port has answered, or, without an ending, when the call was withdrawn. Rejects when the process stops before
   * that.
   *
   * @param withdrawn aborts the call
   */
  readonly call: (
    instance: string,
    order: CallOrder,
    withdrawn: AbortSignal,
  ) => Promise<Omit<CallOutcome, 'at' | 'ending'> & Partial<Pick<CallOutcome, 'ending'>>>;
  /**
   * Fulfils when the channel has accepted or refused the message. Rejects when the process stops before that.
   *
   * @param withdrawn gives the message up. A channel that already has it may still deliver it, but is not called again
   */
  readonly deliver: (
    instance: string,
    order: DeliveryOrder,
    withdrawn: AbortSignal,
  ) => Promise<Pick<ReceiptOrder, 'because' | 'isKept'>>;
}

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
