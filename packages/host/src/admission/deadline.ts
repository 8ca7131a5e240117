/** A stopwatch for the time limits of calls. */
export interface Waits {
  /** Milliseconds. Only differences count. */
  readonly now: number;
  /** Calls a function once, after a number of milliseconds. Returns a function that cancels the call. */
  after(milliseconds: number, call: () => void): () => void;
}

/** The time that an attempt may take. When it is over, the signal aborts, and work within it fails. */
export class Deadline {
  readonly #attempt = new AbortController();
  readonly #passed: Promise<never>;
  /** Has to be called when the attempt has ended. */
  cancel: () => void = () => {};

  /**
   * @param milliseconds `Infinity` is never over
   * @param errorOf makes the error of an attempt that does not end in time
   */
  constructor(waits: Pick<Waits, 'after'>, milliseconds: number, errorOf: () => Error) {
    this.#passed = new Promise((_, reject) => {
      if (milliseconds === Infinity) return;
      this.cancel = waits.after(milliseconds, () => {
        const error = errorOf();
        reject(error);
        this.#attempt.abort(error);
      });
    });
    // Between two pieces of work nobody waits for it.
    this.#passed.catch(() => {});
  }

  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  /** Settles as the work does, or rejects when the time is over before that. */
  within<Value>(work: Value | Promise<Value>): Promise<Value> {
    return Promise.race([work, this.#passed]);
  }
}
