import { type Apart, endWork, type ThreadTask } from '@dramaturg/compiler/machine';

/** A step is one instant: the time does not change within it. */
export interface Step {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Random values that were drawn in the step, in order. */
  readonly drawn: (number | string)[];
  /** The time zone of the instance. */
  timeZone?: string;
  /** The values that the step draws when it is decided again. */
  readonly again?: (number | string)[];
  /** When left out, the step leaves no work to threads. */
  readonly left?: LeftWork;
}

/** Does work in a thread. @returns undefined when there is no thread, or it has ended, for example out of memory */
export type InThread = (task: ThreadTask) => Promise<unknown>;

/** How often a step is decided again. After that it evaluates everything itself. */
const attemptsMax = 400;

/** The evaluations of one step that threads do, so that they do not block the event loop. */
export class LeftWork {
  readonly #answers = new Map<number, unknown>();
  #asked = 0;
  #left: { readonly index: number; readonly task: ThreadTask } | undefined;

  get isPending(): boolean {
    return this.#left !== undefined;
  }

  /** The next evaluation of the step. */
  next(): Apart | undefined {
    if (this.#answers.size === attemptsMax) return undefined;
    const index = this.#asked;
    this.#asked += 1;
    const answer = this.#answers.get(index);
    if (answer === undefined && this.#answers.has(index)) return undefined;
    return {
      answer,
      leave: (task) => {
        this.#left ??= { index, task };
        endWork();
      },
    };
  }

  /** Waits for the thread. Without an answer, the step evaluates it itself. */
  async answered(inThread: InThread): Promise<void> {
    const { index, task } = this.#left!;
    this.#answers.set(index, await inThread(task));
    [this.#left, this.#asked] = [undefined, 0];
  }
}
