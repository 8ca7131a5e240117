import { DramaturgError } from '@dramaturg/compiler';
import { type InThread, LeftWork } from './left-work.ts';

/** What a step needs to be decided again. */
interface LeftStep {
  readonly at: number;
  readonly drawn: (number | string)[];
  readonly again?: (number | string)[];
  readonly left?: LeftWork;
}

/** Thrown by a step that has left an evaluation to a thread. What it has decided does not count. */
export class WorkLeftError extends DramaturgError<'host/work-left'> {
  override readonly name = 'WorkLeftError';
  readonly #step: LeftStep;

  constructor(step: LeftStep) {
    super('host/work-left', 'A step waits for a thread.');
    this.#step = step;
  }

  /**
   * The step to decide again from its beginning, with all answers so far. A step is a function: with the same time and random
   * values it asks the same.
   */
  async again(inThread: InThread): Promise<LeftStep> {
    const { at, drawn, left } = this.#step;
    await left!.answered(inThread);
    return { at, drawn: [], again: [...drawn], left: left! };
  }
}

/** Decides a step, perhaps several times. */
export type Attempt = <Value>(
  step: LeftStep,
  decide: (step: LeftStep) => Value | Promise<Value>,
) => Promise<Value>;

/** Decides a step until it leaves nothing more to threads. */
export function inTurns(inThread: InThread): Attempt {
  return async (first, decide) => {
    let step: LeftStep = { ...first, drawn: [], left: new LeftWork() };
    for (;;) {
      try {
        return await decide(step);
      } catch (error) {
        if (!(error instanceof WorkLeftError)) throw error;
        step = await error.again(inThread);
      }
    }
  };
}
