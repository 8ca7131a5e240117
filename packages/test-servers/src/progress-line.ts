/** Milliseconds between two lines when the output is not a terminal. */
const pauseMs = 10_000;
/** Milliseconds after which the remaining time is estimated. */
const firstGuessMs = 2_000;

/** A stream such as standard error. */
interface Screen {
  readonly isTTY?: boolean;
  readonly write: (text: string) => unknown;
}

/** One line on a terminal that shows the current step of long work, and the remaining time. Elsewhere, a line from time to time. */
export class ProgressLine {
  readonly #screen: Screen;
  readonly #now: () => number;
  #shownAt: number;
  #begun: { readonly at: number; readonly done: number } | undefined;

  constructor(screen: Screen = process.stderr, now: () => number = () => performance.now()) {
    this.#screen = screen;
    this.#now = now;
    this.#shownAt = now();
  }

  /** Shows a step, with the remaining time if `done` and `all` are given. */
  show(step: string, done?: number, all?: number): void {
    const left = done === undefined || all === undefined ? '' : this.#left(done, all);
    const now = this.#now();
    if (this.#screen.isTTY) this.#screen.write(`\r\u001B[K${step}${left}`);
    else if (now - this.#shownAt >= pauseMs) {
      this.#screen.write(`${step}${left}\n`);
      this.#shownAt = now;
    }
  }

  clear(): void {
    if (this.#screen.isTTY) this.#screen.write('\r\u001B[K');
  }

  /** Extrapolates from the work since the first call: earlier work was preparation. */
  #left(done: number, all: number): string {
    const now = this.#now();
    this.#begun ??= { at: now, done };
    const elapsed = now - this.#begun.at;
    const since = done - this.#begun.done;
    if (elapsed < firstGuessMs || since <= 0 || done >= all) return '';
    return `, ${duration((elapsed / since) * (all - done))} left`;
  }
}

function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
