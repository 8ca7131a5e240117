/** Keeps a clock from going on while work is under way: see `VirtualClock.busy`. */
export type Busy = <Value>(work: Promise<Value>) => Promise<Value>;

/**
 * Lets what comes from outside happen one after another, each only when everything that follows from the one before has
 * run its course. A run that is recorded in turns has one order of events, and a replay in turns has the same.
 */
export class Turns {
  readonly #busy: Busy;
  #last: Promise<unknown> = Promise.resolve();

  constructor(busy: Busy = (work) => work) {
    this.#busy = busy;
  }

  take(happen: () => void): Promise<void> {
    const turn = this.#last.then(quiet).then(happen);
    this.#last = turn.catch(() => {});
    return this.#busy(turn);
  }

  /** Resolves once nothing waits for its turn and nothing moves. */
  async over(): Promise<void> {
    for (let last: unknown; last !== this.#last;) {
      last = this.#last;
      await this.#last;
      await quiet();
    }
  }
}

/** Machines and ports that answer from memory go on in promises; two turns of the event loop see all of them dealt with. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
