import { isUnknownInstance } from '@dramaturg/host/engine';

export interface OpenWorkOptions {
  /** Asks an instance whether it still waits for a call or a message. */
  readonly ask: (instance: string, letter: string) => Promise<boolean>;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** The arrival of an order at the process. */
export interface Arrival {
  /** Time of arrival by `performance.now()`. */
  readonly receivedAt: number;
  /** Whether a slot was free on arrival, and the order has not been tried yet. */
  readonly hasPlace: boolean;
}

/** Work with a free slot that begins within this time after its arrival, in milliseconds, begins without a check. */
const soonMs = 1_000;

/** An older order, in milliseconds, was probably given to another process before. Under load, Restate takes seconds to deliver one. */
const oldMs = 60_000;

/** Without an answer for this long, in milliseconds, the work is done. */
const askMs = 5_000;

/**
 * Checks whether instances still wait for work that begins. A withdrawal may arrive after the work, so the instance is asked
 * about work that had to wait for a slot or is repeated. Other work costs nothing, even in a busy process. Answers come in the
 * order of the questions, so work begins in the order of its lane.
 */
export class OpenWork {
  readonly #options: OpenWorkOptions;
  readonly #startedAt: number;
  /** Settles when all questions so far are answered. */
  #answered: Promise<unknown> = Promise.resolve();

  constructor(options: OpenWorkOptions) {
    this.#options = options;
    this.#startedAt = options.now();
  }

  async isOpen(
    instance: string,
    { letter, at }: { readonly letter: string; readonly at: number },
    { receivedAt, hasPlace }: Arrival,
  ): Promise<boolean> {
    const { now } = this.#options;
    const isSoon = hasPlace && performance.now() - receivedAt <= soonMs;
    if (isSoon && at >= this.#startedAt && now() - at <= oldMs) return true;
    const asked = this.#ask(instance, letter);
    const before = this.#answered;
    this.#answered = before.then(() => asked);
    await before;
    return asked;
  }

  /** When in doubt, the work is done: twice is better than never. */
  async #ask(instance: string, letter: string): Promise<boolean> {
    let cancel = () => {};
    const late = new Promise<true>((resolve) => {
      const timer = setTimeout(() => resolve(true), askMs);
      cancel = () => clearTimeout(timer);
    });
    try {
      return await Promise.race([this.#options.ask(instance, letter), late]);
    } catch (error) {
      return !isUnknownInstance(error);
    } finally {
      cancel();
    }
  }
}
