/** Stops a clock while work is running: see `VirtualClock.busy`. */
export type Busy = <Value>(work: Promise<Value>) => Promise<Value>;

/**
 * Processes inputs from outside one at a time, each when everything that follows from the previous one is done. This makes
 * the order of events reproducible: a recording and its replay have the same.
 */
export class InboundQueue {
  readonly #busy: Busy;
  #last: Promise<unknown> = Promise.resolve();

  constructor(busy: Busy = (work) => work) {
    this.#busy = busy;
  }

  add(process: () => void): Promise<void> {
    const processed = this.#last.then(settle).then(process);
    this.#last = processed.catch(() => {});
    return this.#busy(processed);
  }

  /** Resolves once the queue is empty and the run has settled. */
  async drained(): Promise<void> {
    for (let last: unknown; last !== this.#last;) {
      last = this.#last;
      await this.#last;
      await settle();
    }
  }
}

/** Waits for pending promises: two turns of the event loop settle machines and ports that answer from memory. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
