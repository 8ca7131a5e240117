import type { LiveInstance } from '../instance/live-instance.ts';
import type { RunnerContext } from './runner-context.ts';

/** How many letters to parents and children are carried at the same time. */
const lettersMax = 16;

/**
 * Carries the stored letters of one instance to its parent and children, in the order in which they were decided. Only
 * letters of the same kind are carried in parallel, so that a child exists before it is abandoned. The carrier is
 * `idle`, or `carrying` until no letter is left.
 */
export class LetterCarrier {
  readonly #runner: RunnerContext;
  #carrying: Promise<void> | undefined;

  constructor(runner: RunnerContext) {
    this.#runner = runner;
  }

  get isIdle(): boolean {
    return this.#carrying === undefined;
  }

  /** Settles when no letter is left, or the runner breaks. */
  get carried(): Promise<void> {
    return this.#carrying ?? Promise.resolve();
  }

  apply(): void {
    const { instance, services } = this.#runner;
    if (instance.familyLetters.length === 0) return;
    this.#carrying ??= services.activity.during(() => this.#carryAll());
  }

  async #carryAll(): Promise<void> {
    const { instance, services, isRunning, betweenSteps, breakOff, onRest } = this.#runner;
    try {
      while (isRunning()) {
        const batch = await betweenSteps(async () => this.#takeBatch());
        if (batch.length === 0) return;
        await Promise.all(batch.map(({ body }) => services.carryLetter(instance, body)));
        if (!isRunning()) return;
        await betweenSteps(async () => {
          for (const { letter } of batch) {
            await services.store.acknowledge({ id: instance.id, letter });
            instance.acknowledged(letter);
          }
        });
      }
    } catch (error) {
      // Letters are idempotent: the next runner of the instance carries the rest again.
      breakOff(error);
    } finally {
      onRest();
    }
  }

  /** The next letters of one kind. Taken between steps, because a running step may have decided letters that are not stored. */
  #takeBatch(): LiveInstance['familyLetters'] {
    const letters = this.#runner.instance.familyLetters;
    // From here on, `apply` starts a new round.
    if (letters.length === 0) this.#carrying = undefined;
    const other = letters.findIndex(({ body }) => body.kind !== letters[0]!.body.kind);
    return letters.slice(0, Math.min(other < 0 ? lettersMax : other, lettersMax));
  }
}
