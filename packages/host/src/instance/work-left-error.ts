import { DramaturgError } from '@dramaturg/compiler';
import { type InThread, LeftWork, type Step } from './left-work.ts';

/** Thrown by a step that has left an evaluation to a thread. Its decisions do not count. */
export class WorkLeftError extends DramaturgError<'host/work-left'> {
  override readonly name = 'WorkLeftError';
  readonly #step: Step;

  constructor(step: Step) {
    super('host/work-left', 'A step waits for a thread.');
    this.#step = step;
  }

  /**
   * The step to decide again from its beginning, with all answers so far. A step is a function: with the same time and random
   * values it needs the same evaluations.
   */
  async again(inThread: InThread): Promise<Step> {
    const { at, drawn, left } = this.#step;
    await left!.answered(inThread);
    return { at, drawn: [], again: [...drawn], left: left! };
  }
}

/** Decides a step, perhaps several times. */
export type Attempt = <Value>(
  step: Step,
  decide: (step: Step) => Value | Promise<Value>,
) => Promise<Value>;

/** Decides a step again until it leaves no more work to threads. */
export function inTurns(inThread: InThread, onWait: () => void): Attempt {
  return async (first, decide) => {
    let step: Step = { ...first, drawn: [], left: new LeftWork() };
    for (;;) {
      try {
        return await decide(step);
      } catch (error) {
        if (!(error instanceof WorkLeftError)) throw error;
        onWait();
        step = await error.again(inThread);
      }
    }
  };
}
