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

  apply(): void {
    if (this.#runner.instance.familyLetters.length > 0) this.#carrying ??= this.#carryAll();
  }

  async #carryAll(): Promise<void> {
    const { instance, services, isRunning, betweenSteps, breakOff } = this.#runner;
    await Promise.resolve();
    for (;;) {
      const letters = instance.familyLetters;
      const [first] = letters;
      if (!first || !isRunning()) break;
      const other = letters.findIndex(({ body }) => body.kind !== first.body.kind);
      const batch = letters.slice(0, Math.min(other < 0 ? lettersMax : other, lettersMax));
      try {
        await Promise.all(batch.map(({ body }) => services.carryLetter(instance, body)));
        if (!isRunning()) break;
        await betweenSteps(async () => {
          for (const { letter } of batch) {
            await services.store.acknowledge({ id: instance.id, letter });
            instance.acknowledged(letter);
          }
        });
      } catch (error) {
        // Letters are idempotent: the next runner of the instance carries the rest again.
        breakOff(error);
        break;
      }
    }
    this.#carrying = undefined;
    this.#runner.onRest();
  }
}
