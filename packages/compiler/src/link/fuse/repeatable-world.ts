import type { World } from '../world.ts';

/**
 * The world of a machine with a fast path. When the fast path gives up a step, XState decides it and gets the same times and
 * random values again, in the same order. So a step draws as many values as without a fast path.
 */
export class RepeatableWorld implements World {
  readonly nextTurn?: () => Promise<void>;
  readonly timeZone?: () => string;
  readonly onOperand?: NonNullable<World['onOperand']>;
  readonly apart?: NonNullable<World['apart']>;
  readonly #source: World;
  /** Undefined between steps. */
  #draws: Draws | undefined;
  /** The values that the last attempt drew, if it gave up. */
  #given: Draws['values'] = [];

  constructor(source: World) {
    this.#source = source;
    if (source.nextTurn) this.nextTurn = source.nextTurn;
    if (source.timeZone) this.timeZone = source.timeZone;
    if (source.onOperand) this.onOperand = source.onOperand;
    if (source.apart) this.apart = source.apart;
  }

  readonly now = (): number =>
    (this.#again() as number | undefined) ?? this.#kept(this.#source.now());

  readonly random = (): number =>
    (this.#again() as number | undefined) ?? this.#kept(this.#source.random());

  readonly uuid = (): string =>
    (this.#again() as string | undefined) ?? this.#kept(this.#source.uuid());

  /**
   * Tries to decide a step.
   *
   * @returns undefined when it gives up or throws
   */
  attempt<Decided>(decide: () => Decided | undefined): Decided | undefined {
    const draws: Draws = { values: [], next: 0 };
    let decided: Decided | undefined;
    try {
      decided = this.#during(draws, decide);
    } catch {
      // XState meets the same error and handles it.
    }
    this.#given = decided === undefined ? draws.values : [];
    return decided;
  }

  /** Decides the step that the last attempt gave up. */
  repeat<Decided>(decide: () => Decided): Decided {
    const draws = { values: this.#given, next: 0 };
    this.#given = [];
    return this.#during(draws, decide);
  }

  /** A step may begin another actor of the same machine. */
  #during<Decided>(draws: Draws, decide: () => Decided): Decided {
    const outer = this.#draws;
    this.#draws = draws;
    try {
      return decide();
    } finally {
      this.#draws = outer;
    }
  }

  /** The next value that the step has drawn before. */
  #again(): number | string | undefined {
    const draws = this.#draws;
    return draws && draws.next < draws.values.length ? draws.values[draws.next++] : undefined;
  }

  #kept<Drawn extends number | string>(value: Drawn): Drawn {
    const draws = this.#draws;
    if (draws) draws.next = draws.values.push(value);
    return value;
  }
}

/** The values of a step. */
interface Draws {
  readonly values: (number | string)[];
  /** The index of the next one to give. */
  next: number;
}
