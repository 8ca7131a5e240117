/** Runs work with the same key one after another, in the order of the calls. */
export class Serial {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether a turn of `run` is still the last one of its key. */
  isLast(key: string, turn: Promise<unknown>): boolean {
    return this.#last.get(key) === turn;
  }

  isBusy(key: string): boolean {
    return this.#last.has(key);
  }

  run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    this.#last.set(key, turn);
    const forget = () => {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  }
}
