import { type Apart, endWork, nextTurn, type ThreadTask } from '@dramaturg/compiler/machine';

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

/** How often a step is decided again. Each attempt comes at least so far that the limit of a step's work ends it before. */
const attemptsMax = 1_000;
/** An evaluation that has taken so many units, about 12 ms, belongs in a thread. */
const unitsOfThread = 60_000;

/**
 * The evaluations of one step. One that would block the event loop is done by a thread, or after a turn of the loop. Then the step
 * is decided again with the answers of the evaluations before it.
 */
export class LeftWork {
  readonly #answers = new Map<number, unknown>();
  #asked = 0;
  /** Whether the current attempt has more answers than the one before. */
  #isFurther = false;
  #attempts = 0;
  #left: { readonly index: number; readonly task: ThreadTask | undefined } | undefined;

  get isPending(): boolean {
    return this.#left !== undefined;
  }

  /** The next evaluation of the step. */
  next(): Apart | undefined {
    if (this.#attempts === attemptsMax) return undefined;
    const index = this.#asked;
    this.#asked += 1;
    const answer = this.#answers.get(index);
    if (answer === undefined && this.#answers.has(index)) return undefined;
    return {
      answer,
      keep: (own) => {
        if (this.#left) return;
        this.#answers.set(index, own);
        this.#isFurther = true;
      },
      leave: (task, units) => {
        const isShort = units < unitsOfThread && this.#isFurther;
        this.#left ??= { index, task: isShort ? undefined : task };
        endWork();
      },
    };
  }

  /** Waits for the thread, or for a turn of the event loop. When the thread does not answer, the step does its work itself. */
  async answered(inThread: InThread): Promise<void> {
    const { index, task } = this.#left!;
    if (task) this.#answers.set(index, await inThread(task));
    else await nextTurn();
    this.#attempts += 1;
    [this.#left, this.#asked, this.#isFurther] = [undefined, 0, false];
  }
}
