/** Runs a task again and again: at most one at a time, and with a pause between two. */
export class Refresher {
  readonly #task: (signal: AbortSignal) => Promise<void>;
  readonly #pauseMs: number;
  readonly #stopping = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isRunning = false;
  #isWanted = false;

  /** @param task reports its own errors */
  constructor(task: (signal: AbortSignal) => Promise<void>, pauseMs: number) {
    this.#task = task;
    this.#pauseMs = pauseMs;
  }

  /** Runs the task now, or once more after the one that runs and the pause. */
  readonly refresh = (): void => {
    this.#isWanted = true;
    if (!this.#isRunning && this.#timer === undefined) void this.#run();
  };

  stop(): void {
    clearTimeout(this.#timer);
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    this.#isWanted = false;
    this.#isRunning = true;
    try {
      await this.#task(signal);
    } finally {
      this.#isRunning = false;
    }
    if (signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isWanted) void this.#run();
    }, this.#pauseMs);
  }
}
