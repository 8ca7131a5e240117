const firstMs = 1_000;
const longestMs = 30_000;

/** Waits between attempts, longer each time. A wait ends early when the page may be connected again. */
export class Backoff {
  #attempts = 0;
  #wake: () => void = () => {};

  reset(): void {
    this.#attempts = 0;
  }

  /** Ends the running wait. */
  readonly wake = (): void => {
    this.reset();
    this.#wake();
  };

  /** @param atLeastMs when the channel has said how long to wait */
  wait(atLeastMs = 0): Promise<void> {
    const delay = Math.min(longestMs, firstMs * 2 ** this.#attempts);
    this.#attempts += 1;
    // Pages that lost the same host do not come back at the same moment.
    const varied = delay * (0.5 + Math.random() / 2);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(atLeastMs, varied));
      this.#wake = () => {
        if (atLeastMs > 0) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
